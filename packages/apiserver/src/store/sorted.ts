import { compareBytewise } from './order.js'

const CHUNK = 512

/** Items in bytewise order of their names, in chunks, so that an insertion moves a few hundred slots at most. */
export class SortedByName<T extends { readonly name: string }> {
  readonly #chunks: T[][] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds an item, or replaces the item of the same name. */
  set(item: T): void {
    const at = this.#chunkFor(item.name)
    const chunk = this.#chunks[at]
    if (chunk === undefined) {
      this.#append(item)
      return
    }
    const index = firstNotBefore(chunk, ownName, item.name)
    if (chunk[index]?.name === item.name) {
      chunk[index] = item
      return
    }
    chunk.splice(index, 0, item)
    this.#size++
    if (chunk.length > CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK / 2))
  }

  delete(name: string): void {
    const at = this.#chunkFor(name)
    const chunk = this.#chunks[at]
    if (chunk === undefined) return
    const index = firstNotBefore(chunk, ownName, name)
    if (chunk[index]?.name !== name) return
    chunk.splice(index, 1)
    this.#size--
    if (chunk.length === 0) this.#chunks.splice(at, 1)
  }

  /**
   * Visits items after a name (all if undefined) in order, until `visit` returns false. Returns whether it reached the
   * end.
   */
  visit(after: string | undefined, visit: (item: T) => boolean): boolean {
    const start = after === undefined ? 0 : this.#chunkFor(after)
    for (let at = start; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] as T[]
      let index = after !== undefined && at === start ? firstAfter(chunk, after) : 0
      for (; index < chunk.length; index++) if (!visit(chunk[index] as T)) return false
    }
    return true
  }

  countAfter(name: string): number {
    const start = this.#chunkFor(name)
    const first = this.#chunks[start]
    if (first === undefined) return 0
    let count = first.length - firstAfter(first, name)
    for (let at = start + 1; at < this.#chunks.length; at++) count += (this.#chunks[at] as T[]).length
    return count
  }

  /** Returns the first chunk whose last name is not before `name`; one past the end if there is none. */
  #chunkFor(name: string): number {
    return firstNotBefore(this.#chunks, lastName, name)
  }

  /** Fills the last chunk before it starts a new one. */
  #append(item: T): void {
    const last = this.#chunks[this.#chunks.length - 1]
    if (last === undefined || last.length >= CHUNK) this.#chunks.push([item])
    else last.push(item)
    this.#size++
  }
}

interface Named {
  readonly name: string
}

const ownName = ({ name }: Named): string => name
const lastName = (chunk: readonly Named[]): string => (chunk[chunk.length - 1] as Named).name

/**
 * Returns the first position whose name is not before `name`; the length if there is none. Names often arrive in almost
 * ascending order, so the search starts at the end, with steps that double.
 */
function firstNotBefore<I>(items: readonly I[], nameOf: (item: I) => string, name: string): number {
  let low = 0
  let high = items.length
  for (let step = 1; step <= high; step *= 2) {
    const probe = high - step
    if (compareBytewise(nameOf(items[probe] as I), name) < 0) {
      low = probe + 1
      break
    }
    high = probe
  }
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareBytewise(nameOf(items[middle] as I), name) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function firstAfter(chunk: readonly Named[], name: string): number {
  const index = firstNotBefore(chunk, ownName, name)
  return chunk[index]?.name === name ? index + 1 : index
}
