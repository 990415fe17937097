import { type Clock, systemClock } from '../clock.js'

/** A clock whose delays keep the process running: somebody waits for the request that waits for them. */
export const waitingClock: Clock = {
  now: systemClock.now,
  elapsed: systemClock.elapsed,
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
}
