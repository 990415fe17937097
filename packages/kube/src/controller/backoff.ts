/** The delay after failures: it doubles each time. */
export interface Backoff {
  /** The delay after the first failure. Default 5 ms. */
  readonly firstMilliseconds?: number
  /** The longest delay. Default 1,000 seconds. */
  readonly maxMilliseconds?: number
}

/** The delay after this many failures in a row. */
export function backoffAfter(failures: number, backoff: Backoff = {}): number {
  const { firstMilliseconds = 5, maxMilliseconds = 1_000_000 } = backoff
  return Math.min(firstMilliseconds * 2 ** (failures - 1), maxMilliseconds)
}
