import { tooManyRequests } from '@orrery/kinds/values'

/** A function that runs at most `max` calls at a time. Further calls throw a 429: the client retries after a second. */
export function limited<Args extends readonly unknown[], T>(
  max: number,
  what: string,
  call: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  let inFlight = 0
  return async (...args) => {
    if (inFlight >= max) throw tooManyRequests(`too many concurrent requests for ${what}`, 1)
    inFlight++
    try {
      return await call(...args)
    } finally {
      inFlight--
    }
  }
}
