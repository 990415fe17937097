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
