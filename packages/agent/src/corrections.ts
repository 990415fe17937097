/** How often others recently undid a write, and when it was last corrected. */
export interface Corrections {
  readonly count: number
  /** By the clock's elapsed time. */
  readonly at: number
}

export const NO_CORRECTIONS: Corrections = { count: 0, at: 0 }

/** This many corrections in a row are made at once. More mean that another client keeps setting another value. */
const FREE_CORRECTIONS = 3
const FIRST_PAUSE = 1_000
/** After this time without another correction, counting starts over. */
const PEACE = 600_000

/** Counts one more correction, made now. */
export function oneMore({ count, at }: Corrections, now: number): Corrections {
  return { count: now - at > PEACE ? 1 : count + 1, at: now }
}

/** Until when not to correct again: the pause doubles each time, up to `longest`. */
export function pausedUntil({ count, at }: Corrections, now: number, longest: number): number {
  if (count < FREE_CORRECTIONS || now - at > PEACE) return at
  return at + Math.min(FIRST_PAUSE * 2 ** (count - FREE_CORRECTIONS), longest)
}
