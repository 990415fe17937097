import type { ClusterFacts } from './facts.js'

/** The order of clusters: the highest total first, then by name. Negative if `a` comes first. */
export function compareRank(clusters: readonly ClusterFacts[], totals: Float64Array, a: number, b: number): number {
  const difference = (totals[b] as number) - (totals[a] as number)
  if (difference !== 0) return difference
  return (clusters[a] as ClusterFacts).name < (clusters[b] as ClusterFacts).name ? -1 : 1
}

/** The indexes of the `count` best clusters, best first. */
export function selectBest(clusters: readonly ClusterFacts[], totals: Float64Array, count: number): number[] {
  const compare = (a: number, b: number) => compareRank(clusters, totals, a, b)
  if (count <= 0) return []
  if (count * 4 >= clusters.length) {
    const all = Array.from(clusters.keys()).sort(compare)
    all.length = Math.min(count, all.length)
    return all
  }
  return heapOfBest(clusters, totals, count).sort(compare)
}

/** A heap with the worst of the best at the top: most clusters are compared with that one only. */
function heapOfBest(clusters: readonly ClusterFacts[], totals: Float64Array, count: number): number[] {
  const heap: number[] = []
  for (let i = 0; i < clusters.length; i++) {
    if (heap.length < count) {
      heap.push(i)
      siftUp(clusters, totals, heap)
    } else if (compareRank(clusters, totals, i, heap[0] as number) < 0) {
      heap[0] = i
      siftDown(clusters, totals, heap)
    }
  }
  return heap
}

function siftUp(clusters: readonly ClusterFacts[], totals: Float64Array, heap: number[]): void {
  let at = heap.length - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (compareRank(clusters, totals, heap[at] as number, heap[parent] as number) <= 0) return
    swap(heap, at, parent)
    at = parent
  }
}

function siftDown(clusters: readonly ClusterFacts[], totals: Float64Array, heap: number[]): void {
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    if (left >= heap.length) return
    const right = left + 1
    const worse =
      right < heap.length && compareRank(clusters, totals, heap[right] as number, heap[left] as number) > 0
        ? right
        : left
    if (compareRank(clusters, totals, heap[worse] as number, heap[at] as number) <= 0) return
    swap(heap, at, worse)
    at = worse
  }
}

function swap(heap: number[], a: number, b: number): void {
  const kept = heap[a] as number
  heap[a] = heap[b] as number
  heap[b] = kept
}
