/** The clock is passed in, so that tests can control it. */
export interface Clock {
  /** The system time, which may be set forward or back at any moment. */
  now(): Date
  /** A monotonic time in milliseconds: for durations. */
  elapsed(): number
  /** Calls back once after a delay. Returns a function that cancels. */
  after(milliseconds: number, callback: () => void): () => void
}

/** The limit of system timers, 25 days. Longer ones fire at once. */
const MAX_TIMER = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  after(milliseconds, callback) {
    let timer: NodeJS.Timeout
    const wait = (rest: number) => {
      const next = rest > MAX_TIMER ? () => wait(rest - MAX_TIMER) : callback
      timer = setTimeout(next, Math.min(rest, MAX_TIMER))
      timer.unref()
    }
    // Fractions of a millisecond are rounded up, so that the timer does not fire early.
    wait(Math.ceil(milliseconds))
    return () => clearTimeout(timer)
  },
}
