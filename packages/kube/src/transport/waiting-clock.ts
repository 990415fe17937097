import { type Clock, systemClock } from '../clock.js'

/** A clock whose timers keep the process running, since a caller waits for the request. */
export const waitingClock: Clock = {
  now: systemClock.now,
  elapsed: systemClock.elapsed,
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}
