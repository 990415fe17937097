import { setTimeout as delay } from 'node:timers/promises'

export interface EventuallyOptions {
  /** Default 20 s. */
  readonly timeoutMilliseconds?: number
  /** The delay between two calls. Default 5 ms. */
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
  const { timeoutMilliseconds = 20_000, intervalMilliseconds = 5, meanwhile, seen } = options
  const deadline = performance.now() + timeoutMilliseconds
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found as Exclude<T, false | undefined>
    if (performance.now() > deadline) {
      const last = seen === undefined ? '' : `: ${JSON.stringify(seen(), undefined, 1)}`
      throw new Error(`${what}: timed out after ${timeoutMilliseconds / 1_000} s${last}`)
    }
    await delay(intervalMilliseconds)
    await meanwhile?.()
  }
}
