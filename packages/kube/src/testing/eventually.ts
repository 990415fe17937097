import { setTimeout as delay } from 'node:timers/promises'

/** As long as a busy machine may need: only what never happens takes as long. */
const PATIENCE_MILLISECONDS = 60_000

const SHORTEST_INTERVAL_MILLISECONDS = 5
const LONGEST_INTERVAL_MILLISECONDS = 100
/** Of the time so far: what takes long is noticed a little later, and checks do not take the processor from it. */
const INTERVAL_SHARE = 1 / 20

/** For calls that wait for what will happen soon. */
export function patience(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MILLISECONDS)
}

export interface EventuallyOptions {
  /** Default a minute. */
  readonly timeoutMilliseconds?: number
  /** The delay between two calls. Default: 5 ms with `meanwhile`, else longer the longer it takes, up to 100 ms. */
  readonly intervalMilliseconds?: number
  /** Called between two calls, for example to advance a fake clock. */
  readonly meanwhile?: () => unknown
  /** Returns what to show in the error, for example the last state of an object. */
  readonly seen?: () => unknown
}

/**
 * Calls `look` until it returns a value other than undefined and false, and returns that value. Rejects after the
 * timeout, or if `look` throws.
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const { timeoutMilliseconds = PATIENCE_MILLISECONDS, intervalMilliseconds, meanwhile, seen } = options
  const started = performance.now()
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found as Exclude<T, false | undefined>
    const elapsed = performance.now() - started
    if (elapsed > timeoutMilliseconds) {
      const last = seen === undefined ? '' : `: ${JSON.stringify(seen(), undefined, 1)}`
      throw new Error(`${what}: timed out after ${timeoutMilliseconds / 1_000} s${last}`)
    }
    await delay(intervalMilliseconds ?? intervalAfter(meanwhile === undefined ? elapsed : 0))
    await meanwhile?.()
  }
}

/** The delay before the next call. */
export function intervalAfter(elapsedMilliseconds: number): number {
  const interval = Math.max(elapsedMilliseconds * INTERVAL_SHARE, SHORTEST_INTERVAL_MILLISECONDS)
  return Math.min(interval, LONGEST_INTERVAL_MILLISECONDS)
}
