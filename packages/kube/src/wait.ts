import type { Clock } from './clock.js'

const FAR_AHEAD_MS = 2 ** 31 - 1

/** A time somewhere between `milliseconds` and `1 + factor` times as many, so that many clients do not move in step. */
export function jittered(milliseconds: number, factor: number, random: () => number = Math.random): number {
  return milliseconds * (1 + factor * random())
}

/**
 * Runs something for so long at most. Whatever it does then, this rejects: what it still does has no say any more, and
 * is told so by its signal.
 */
export async function within<T>(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const limit = new AbortController()
  const giveUp = () => limit.abort(signal.reason)
  const cancel = clock.after(milliseconds, () => limit.abort(new Error(`no answer within ${milliseconds} ms`)))
  signal.addEventListener('abort', giveUp)
  try {
    const over = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason))
    })
    return await Promise.race([run(limit.signal), over])
  } finally {
    cancel()
    signal.removeEventListener('abort', giveUp)
  }
}

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
