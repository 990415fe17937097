import type { ClusterFacts } from './facts.js'

/** The order of clusters: the highest total first, then by name. Negative if `a` comes first. */
export function compareRank(clusters: readonly ClusterFacts[], totals: Float64Array, a: number, b: number): number {
  const difference = (totals[b] as number) - (totals[a] as number)
  if (difference !== 0) return difference
  return (clusters[a] as ClusterFacts).name < (clusters[b] as ClusterFacts).name ? -1 : 1
}

/** The indexes of the `count` best clusters, best first. `among` are the indexes to choose from, by default all. */
export function selectBest(
  clusters: readonly ClusterFacts[],
  totals: Float64Array,
  count: number,
  among: readonly number[] | undefined = undefined,
): number[] {
  if (count <= 0) return []
  const size = among?.length ?? clusters.length
  const isFew = count * 4 < size
  const best = isFew ? new BestHeap(clusters, totals, count).addAll(among, size) : (among ?? clusters.keys())
  const sorted = sortByRank(clusters, totals, best)
  if (sorted.length > count) sorted.length = count
  return sorted
}

/** Sorts indexes by rank. Clusters usually come sorted by name: then numbers are sorted, which is ten times as fast. */
function sortByRank(clusters: readonly ClusterFacts[], totals: Float64Array, indexes: Iterable<number>): number[] {
  const sorted = Array.from(indexes)
  let highest = Number.NEGATIVE_INFINITY
  let lowest = Number.POSITIVE_INFINITY
  let isByName = true
  let isWhole = true
  for (let i = 0; i < sorted.length; i++) {
    const index = sorted[i] as number
    const total = totals[index] as number
    if (total > highest) highest = total
    if (total < lowest) lowest = total
    if (isWhole) isWhole = Number.isInteger(total)
    if (isByName && i > 0) {
      const previous = sorted[i - 1] as number
      isByName = (clusters[previous] as ClusterFacts).name < (clusters[index] as ClusterFacts).name
    }
  }
  const size = sorted.length
  if (!isByName || !isWhole || !Number.isSafeInteger((highest - lowest + 1) * size)) {
    return sorted.sort((a, b) => compareRank(clusters, totals, a, b))
  }
  // Totals are whole numbers, so each key holds a total and a position.
  const keys = Float64Array.from(sorted, (index, position) => (highest - (totals[index] as number)) * size + position)
  keys.sort()
  return Array.from(keys, (key) => sorted[key % size] as number)
}

/** A heap with the worst of the best at the top: most clusters are compared with that one only. */
class BestHeap {
  readonly #clusters: readonly ClusterFacts[]
  readonly #totals: Float64Array
  readonly #count: number
  readonly #heap: number[] = []

  constructor(clusters: readonly ClusterFacts[], totals: Float64Array, count: number) {
    this.#clusters = clusters
    this.#totals = totals
    this.#count = count
  }

  /** The best of these indexes, in no order. */
  addAll(among: readonly number[] | undefined, size: number): readonly number[] {
    const heap = this.#heap
    for (let i = 0; i < size; i++) {
      const index = among === undefined ? i : (among[i] as number)
      if (heap.length < this.#count) {
        heap.push(index)
        this.#siftUp()
      } else if (this.#compare(index, heap[0] as number) < 0) {
        heap[0] = index
        this.#siftDown()
      }
    }
    return heap
  }

  #compare(a: number, b: number): number {
    return compareRank(this.#clusters, this.#totals, a, b)
  }

  #siftUp(): void {
    const heap = this.#heap
    let at = heap.length - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#compare(heap[at] as number, heap[parent] as number) <= 0) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #siftDown(): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= heap.length) return
      const right = left + 1
      const isRightWorse = right < heap.length && this.#compare(heap[right] as number, heap[left] as number) > 0
      const worse = isRightWorse ? right : left
      if (this.#compare(heap[worse] as number, heap[at] as number) <= 0) return
      this.#swap(at, worse)
      at = worse
    }
  }

  #swap(a: number, b: number): void {
    const kept = this.#heap[a] as number
    this.#heap[a] = this.#heap[b] as number
    this.#heap[b] = kept
  }
}
