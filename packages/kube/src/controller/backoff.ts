/** How long to wait after a failure: twice as long each time. */
export interface Backoff {
  /** After the first failure. Default 5 ms. */
  readonly firstMilliseconds?: number
  /** At most. Default 1,000 seconds. */
  readonly maxMilliseconds?: number
}

/** The wait after this many failures in a row. */
export function backoffAfter(failures: number, backoff: Backoff = {}): number {
  const { firstMilliseconds = 5, maxMilliseconds = 1_000_000 } = backoff
  return Math.min(firstMilliseconds * 2 ** (failures - 1), maxMilliseconds)
}
