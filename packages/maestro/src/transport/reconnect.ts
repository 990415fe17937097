import type { Clock } from '@orrery/kube/clock'
import { pause } from '@orrery/kube/process'

const FIRST_MILLISECONDS = 200
const MAX_MILLISECONDS = 30_000
/** A connection that lived as long is healthy: the next failure is a new one. */
const HEALTHY_MILLISECONDS = 10_000

/** Ends an attempt that should be followed by another one at once, for example after credentials have changed. */
export class Restart extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'Restart'
  }
}

export interface Attempts {
  readonly clock: Clock
  /** Returns a number from 0 to 1, for jitter. */
  readonly random: () => number
  readonly signal: AbortSignal
  /** Connects and stays connected. Rejects when the connection is lost, and when the signal aborts. */
  readonly attempt: (signal: AbortSignal) => Promise<never>
  readonly onFailed: (error: Error) => void
}

/**
 * Repeats attempts until the signal aborts. The delay doubles from 200 ms to 30 s, with full jitter, so that the clients of
 * a server that restarts do not come back together.
 */
export async function repeat({ clock, random, signal, attempt, onFailed }: Attempts): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    const started = clock.elapsed()
    const error = await attempt(signal).catch((reason: unknown) =>
      reason instanceof Error ? reason : new Error(String(reason)),
    )
    if (signal.aborted) return
    onFailed(error)
    if (error instanceof Restart) continue
    if (clock.elapsed() - started >= HEALTHY_MILLISECONDS) failures = 0
    const limit = Math.min(FIRST_MILLISECONDS * 2 ** failures++, MAX_MILLISECONDS)
    await pause(clock, limit * (0.5 + random() / 2), signal)
  }
}
