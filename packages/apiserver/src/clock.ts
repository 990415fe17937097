/** Time comes in from outside, so that tests can move it. */
export interface Clock {
  now(): Date
  /** Calls back once after a delay. Returns the way to cancel. */
  after(milliseconds: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => new Date(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
