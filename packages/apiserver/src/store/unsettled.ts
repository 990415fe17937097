import type { Write } from './committer.js'

/**
 * The newest write to every object that has writes not on disk yet. Found by name first: making one key of the whole
 * address costs more than the rare comparison of objects that share a name.
 */
export class UnsettledWrites {
  readonly #byName = new Map<string, Write[]>()

  get isEmpty(): boolean {
    return this.#byName.size === 0
  }

  get(bucket: string, namespace: string, name: string): Write | undefined {
    const writes = this.#byName.get(name)
    if (writes === undefined) return undefined
    for (const write of writes) if (isAt(write, bucket, namespace)) return write
    return undefined
  }

  /** Remembers a write, instead of the one to the same object before it. */
  add(write: Write): void {
    const { bucket, namespace, name } = write.entry
    const writes = this.#byName.get(name)
    if (writes === undefined) {
      this.#byName.set(name, [write])
      return
    }
    const index = writes.findIndex((other) => isAt(other, bucket, namespace))
    if (index < 0) writes.push(write)
    else writes[index] = write
  }

  /** Forgets a write, unless a newer one to the same object has taken its place. */
  settle(write: Write): void {
    const { name } = write.entry
    const writes = this.#byName.get(name)
    const index = writes?.indexOf(write) ?? -1
    if (writes === undefined || index < 0) return
    if (writes.length === 1) this.#byName.delete(name)
    else writes.splice(index, 1)
  }

  clear(): void {
    this.#byName.clear()
  }
}

function isAt({ entry }: Write, bucket: string, namespace: string): boolean {
  return entry.namespace === namespace && entry.bucket === bucket
}
