/** A line that is in both texts, or in one of them only. */
export interface LineChange {
  readonly sign: ' ' | '-' | '+'
  readonly line: string
}

/** The maximum number of changed lines to minimize: more take too long, and users do not read them. */
const MAX_EDITS = 1_000

/** The minimal line diff of two texts. */
export function lineDiff(before: readonly string[], after: readonly string[]): LineChange[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const same = (lines: readonly string[]) => lines.map((line): LineChange => ({ sign: ' ', line }))
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ]
}

/** Myers' algorithm: the shortest path through the edit graph. */
function middle(before: readonly string[], after: readonly string[]): LineChange[] {
  const rounds: Map<number, number>[] = []
  let furthest = new Map([[1, 0]])
  for (let edits = 0; edits <= Math.min(before.length + after.length, MAX_EDITS); edits++) {
    const next = new Map(furthest)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepFrom(furthest, diagonal, edits)
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++
      next.set(diagonal, x)
      if (x >= before.length && x - diagonal >= after.length) return wayBack(before, after, [...rounds, furthest])
    }
    rounds.push(furthest)
    furthest = next
  }
  return [
    ...before.map((line): LineChange => ({ sign: '-', line })),
    ...after.map((line): LineChange => ({ sign: '+', line })),
  ]
}

/** The furthest point on a diagonal by adding or removing one line. */
function stepFrom(furthest: ReadonlyMap<number, number>, diagonal: number, edits: number): number {
  const added = furthest.get(diagonal + 1) ?? -1
  const removed = furthest.get(diagonal - 1) ?? -1
  return diagonal === -edits || (diagonal !== edits && removed < added) ? added : removed + 1
}

function wayBack(
  before: readonly string[],
  after: readonly string[],
  rounds: readonly ReadonlyMap<number, number>[],
): LineChange[] {
  const changes: LineChange[] = []
  let x = before.length
  let y = after.length
  for (let edits = rounds.length - 1; edits >= 0; edits--) {
    const furthest = rounds[edits] as ReadonlyMap<number, number>
    const diagonal = x - y
    const isAddition =
      diagonal === -edits ||
      (diagonal !== edits && (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1))
    const from = isAddition ? diagonal + 1 : diagonal - 1
    const fromX = furthest.get(from) ?? 0
    const fromY = fromX - from
    while (x > fromX && y > fromY && x > 0 && y > 0 && before[x - 1] === after[y - 1]) {
      changes.push({ sign: ' ', line: before[x - 1] as string })
      x--
      y--
    }
    if (edits === 0) break
    if (isAddition) changes.push({ sign: '+', line: after[--y] as string })
    else changes.push({ sign: '-', line: before[--x] as string })
  }
  return changes.reverse()
}

const CONTEXT = 3

/** A diff as people read it: what changed, with a few lines around it. Nothing when nothing changed. */
export function unifiedLines(changes: readonly LineChange[]): string[] {
  const isShown = new Array<boolean>(changes.length).fill(false)
  for (const [at, { sign }] of changes.entries()) {
    if (sign !== ' ') isShown.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1)
  }
  const lines: string[] = []
  let shownBefore = true
  for (const [at, { sign, line }] of changes.entries()) {
    if (isShown[at] === true) {
      if (!shownBefore) lines.push('…')
      lines.push(`${sign} ${line}`)
    }
    shownBefore = isShown[at] === true
  }
  return lines
}
