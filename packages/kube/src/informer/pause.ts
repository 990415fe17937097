import type { Clock } from '../clock.js'

const FAR_AHEAD_MS = 2 ** 31 - 1

/** Resolves after a time on the clock, or when the signal is aborted. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    // Timers of the clock let the process end, and without a connection there may be nothing else to keep it.
    const alive = setTimeout(() => undefined, FAR_AHEAD_MS)
    const end = () => {
      clearTimeout(alive)
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(milliseconds, end)
    signal.addEventListener('abort', end, { once: true })
  })
}
