import type { Write } from './committer.js'

/**
 * The newest write of every object with writes that are not durable yet. They are looked up by name first: building one
 * key from the whole address costs more than the rare comparison of objects with the same name.
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

  /** Records a write, replacing an earlier one of the same object. */
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

  /** Removes a write, unless a newer one of the same object replaced it. */
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
