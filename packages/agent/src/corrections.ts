/** How often somebody else undid what was written, lately, and when that was last set right. */
export interface Corrections {
  readonly count: number
  /** By the clock's elapsed time. */
  readonly at: number
}

export const NO_CORRECTIONS: Corrections = { count: 0, at: 0 }

/** So many corrections in a row come at once: what goes on after them is somebody who wants it otherwise. */
const FREE_CORRECTIONS = 3
const FIRST_PAUSE = 1_000
/** Nobody undid it for so long: what comes next is another matter. */
const PEACE = 600_000

/** With one more, now. */
export function oneMore({ count, at }: Corrections, now: number): Corrections {
  return { count: now - at > PEACE ? 1 : count + 1, at: now }
}

/** Until when others are left to have their way: a while that doubles each time, and `longest` at most. */
export function pausedUntil({ count, at }: Corrections, now: number, longest: number): number {
  if (count < FREE_CORRECTIONS || now - at > PEACE) return at
  return at + Math.min(FIRST_PAUSE * 2 ** (count - FREE_CORRECTIONS), longest)
}
