/** A name that may have been meant, and its label. */
export interface Candidate {
  readonly name: string
  readonly label: string
}

const MOST = 3

/** Labels of the names with the smallest distance to a word: at most a third of its letters. */
export function nearMisses(word: string, candidates: Iterable<Candidate>): string[] {
  const allowed = Math.max(1, Math.floor(word.length / 3))
  const best = new Map<string, number>()
  for (const { name, label } of candidates) {
    if (Math.abs(name.length - word.length) > allowed) continue
    const distance = editDistance(word, name)
    if (distance <= allowed && distance < (best.get(label) ?? Number.POSITIVE_INFINITY)) best.set(label, distance)
  }
  return [...best]
    .sort(([, a], [, b]) => a - b)
    .slice(0, MOST)
    .map(([label]) => label)
}

/** How many letters have to be added, dropped, changed or swapped with their neighbour. */
export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(before, j - 2) + 1)
      next.push(cost)
    }
    before = row
    row = next
  }
  return at(row, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] as number
