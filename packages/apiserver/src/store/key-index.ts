import { compareBytewise } from './order.js'
import { SortedByName } from './sorted.js'
import type { Entry } from './types.js'

/** A position in (namespace, name) order. */
export interface Place {
  readonly namespace: string
  readonly name: string
}

/** The objects of one bucket in one namespace. */
class Shelf {
  readonly name: string
  readonly byName = new Map<string, Entry>()
  readonly sorted = new SortedByName<Entry>()

  constructor(namespace: string) {
    this.name = namespace
  }
}

class Bucket {
  readonly shelves = new Map<string, Shelf>()
  readonly sorted = new SortedByName<Shelf>()
  count = 0
}

/** The newest durable version of every object, in list order. */
export class KeyIndex {
  readonly #buckets = new Map<string, Bucket>()

  get(bucket: string, namespace: string, name: string): Entry | undefined {
    return this.#buckets.get(bucket)?.shelves.get(namespace)?.byName.get(name)
  }

  count(bucket: string, namespace?: string): number {
    const found = this.#buckets.get(bucket)
    if (found === undefined) return 0
    return namespace === undefined ? found.count : (found.shelves.get(namespace)?.byName.size ?? 0)
  }

  set(entry: Entry): void {
    let bucket = this.#buckets.get(entry.bucket)
    if (bucket === undefined) {
      bucket = new Bucket()
      this.#buckets.set(entry.bucket, bucket)
    }
    let shelf = bucket.shelves.get(entry.namespace)
    if (shelf === undefined) {
      shelf = new Shelf(entry.namespace)
      bucket.shelves.set(entry.namespace, shelf)
      bucket.sorted.set(shelf)
    }
    const { byName } = shelf
    const before = byName.size
    byName.set(entry.name, entry)
    bucket.count += byName.size - before
    shelf.sorted.set(entry)
  }

  delete(entry: Place & { readonly bucket: string }): void {
    const bucket = this.#buckets.get(entry.bucket)
    const shelf = bucket?.shelves.get(entry.namespace)
    if (bucket === undefined || shelf === undefined || !shelf.byName.delete(entry.name)) return
    shelf.sorted.delete(entry.name)
    bucket.count--
    if (shelf.byName.size > 0) return
    bucket.shelves.delete(shelf.name)
    bucket.sorted.delete(shelf.name)
    if (bucket.count === 0) this.#buckets.delete(entry.bucket)
  }

  /**
   * Visits entries in order until `visit` returns false: of one namespace or all, after a position or from the start.
   */
  visit(
    bucket: string,
    namespace: string | undefined,
    after: Place | undefined,
    visit: (entry: Entry) => boolean,
  ): void {
    const found = this.#buckets.get(bucket)
    if (found === undefined) return
    if (namespace !== undefined) {
      if (!isPast(namespace, after)) found.shelves.get(namespace)?.sorted.visit(startIn(namespace, after), visit)
      return
    }
    const first = after === undefined ? undefined : found.shelves.get(after.namespace)
    if (first !== undefined && !first.sorted.visit(after?.name, visit)) return
    found.sorted.visit(after?.namespace, (shelf) => shelf.sorted.visit(undefined, visit))
  }

  /** Returns the number of entries that `visit` would visit. */
  countAfter(bucket: string, namespace: string | undefined, after: Place | undefined): number {
    const found = this.#buckets.get(bucket)
    if (found === undefined) return 0
    if (namespace !== undefined) {
      const shelf = found.shelves.get(namespace)
      if (shelf === undefined || isPast(namespace, after)) return 0
      const start = startIn(namespace, after)
      return start === undefined ? shelf.sorted.size : shelf.sorted.countAfter(start)
    }
    if (after === undefined) return found.count
    let count = found.shelves.get(after.namespace)?.sorted.countAfter(after.name) ?? 0
    found.sorted.visit(after.namespace, (shelf) => {
      count += shelf.sorted.size
      return true
    })
    return count
  }

  buckets(): Iterable<string> {
    return this.#buckets.keys()
  }

  /** Returns all current entries. */
  all(): Entry[] {
    const entries: Entry[] = []
    for (const bucket of this.#buckets.values()) {
      for (const shelf of bucket.shelves.values()) for (const entry of shelf.byName.values()) entries.push(entry)
    }
    return entries
  }
}

export function comparePlaces(a: Place, b: Place): number {
  return compareBytewise(a.namespace, b.namespace) || compareBytewise(a.name, b.name)
}

/** Returns whether a list that continues after `after` is past the namespace. */
function isPast(namespace: string, after: Place | undefined): boolean {
  return after !== undefined && compareBytewise(namespace, after.namespace) < 0
}

/** Returns the name to start after within a namespace; undefined for the first. */
function startIn(namespace: string, after: Place | undefined): string | undefined {
  return after !== undefined && after.namespace === namespace ? after.name : undefined
}
