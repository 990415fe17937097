/** Parses a set of indexes of a status: `0,2-4,7`. Invalid parts are skipped. */
export function parseIndexes(text: string | undefined, below: number): Set<number> {
  const indexes = new Set<number>()
  for (const part of (text ?? '').split(',')) {
    const [, first, last] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? []
    if (first === undefined) continue
    const end = Math.min(Number(last ?? first), below - 1)
    for (let index = Number(first); index <= end; index++) indexes.add(index)
  }
  return indexes
}

/** Ranges of indexes, both ends included, in order and apart from each other. */
export type IndexRanges = readonly (readonly [first: number, last: number])[]

/** Parses the same format into ranges. The indexes of users can be billions. */
export function parseRanges(text: string, below: number): IndexRanges {
  const ranges = text
    .split(',')
    .map((part) => /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part))
    .filter((match) => match !== null)
    .map(([, first, last]): [number, number] => [Number(first), Math.min(Number(last ?? first), below - 1)])
    .filter(([first, last]) => first <= last)
    .sort(([a], [b]) => a - b)
  const merged: [number, number][] = []
  for (const [first, last] of ranges) {
    const before = merged.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else merged.push([first, last])
  }
  return merged
}

/** Returns the number of indexes in the ranges. */
export function sizeOf(ranges: IndexRanges): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}

/** Returns whether an index is in one of the ranges. */
export function includesIndex(ranges: IndexRanges, index: number): boolean {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.[1] ?? 0) < index) low = middle + 1
    else high = middle
  }
  const range = ranges[low]
  return range !== undefined && range[0] <= index
}

export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].sort((a, b) => a - b)
  const parts: string[] = []
  for (let at = 0; at < sorted.length; ) {
    let end = at
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end++
    const [first, last] = [sorted[at], sorted[end]]
    // Kubernetes writes two consecutive indexes as a list, not as a range.
    parts.push(end === at ? `${first}` : end === at + 1 ? `${first},${last}` : `${first}-${last}`)
    at = end + 1
  }
  return parts.join(',')
}
