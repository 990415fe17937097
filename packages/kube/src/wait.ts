import type { Clock } from './clock.js'

const FAR_AHEAD_MS = 2 ** 31 - 1

/** A time between `milliseconds` and `1 + factor` times as many, so that clients are not synchronized. */
export function jittered(milliseconds: number, factor: number, random: () => number = Math.random): number {
  return milliseconds * (1 + factor * random())
}

/**
 * Runs something with a time limit. After that it rejects, and the signal of the work is aborted; its result is
 * ignored.
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
  const cancel = clock.after(milliseconds, () => limit.abort(new Error(`no response within ${milliseconds} ms`)))
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
    // Timers of the clock do not keep the process running, and without a connection there may be nothing else that
    // does.
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
