/** Time comes in from outside, so that tests can move it. */
export interface Clock {
  /** The time of day, which somebody may set forward or back at any moment. */
  now(): Date
  /** Milliseconds since some beginning, which only ever grow: for how long something took, or may take. */
  elapsed(): number
  /** Calls back once after a delay. Returns the way to cancel. */
  after(milliseconds: number, callback: () => void): () => void
}

/** Timers of the system cannot be set further ahead than this, 25 days: they would go off at once. */
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
    // What is left of a millisecond would be cut off, and the timer go off too early.
    wait(Math.ceil(milliseconds))
    return () => clearTimeout(timer)
  },
}
