/** Time comes in from outside, so that tests can move it. */
export interface Clock {
  now(): Date
  /** Calls back once after a delay. Returns the way to cancel. */
  after(milliseconds: number, callback: () => void): () => void
}

/** Timers of the system cannot be set further ahead than this, 25 days: they would go off at once. */
const LONGEST_TIMER = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => new Date(),
  after(milliseconds, callback) {
    let timer: NodeJS.Timeout
    const wait = (rest: number) => {
      const next = rest > LONGEST_TIMER ? () => wait(rest - LONGEST_TIMER) : callback
      timer = setTimeout(next, Math.min(rest, LONGEST_TIMER))
      timer.unref()
    }
    wait(milliseconds)
    return () => clearTimeout(timer)
  },
}
