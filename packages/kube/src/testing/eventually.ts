import { setTimeout as delay } from 'node:timers/promises'

export interface EventuallyOptions {
  /** Default 20 s. */
  readonly timeoutMilliseconds?: number
  /** How long to wait between two looks. Default 5 ms. */
  readonly intervalMilliseconds?: number
  /** Called between two looks, such as to advance a fake clock. */
  readonly meanwhile?: () => unknown
  /** What to show in the error, such as the object as it was last. */
  readonly seen?: () => unknown
}

/**
 * Looks again and again until what it looks for is there: neither undefined nor false. Returns what it saw. Rejects if
 * it does not come in time, or if a look throws.
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
      throw new Error(`${what}: not so after ${timeoutMilliseconds / 1_000} s${last}`)
    }
    await delay(intervalMilliseconds)
    await meanwhile?.()
  }
}
