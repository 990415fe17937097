import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import { pause } from '../wait.js'

/** Decides which of several processes is active; for example a `LeaderElection`. */
export interface Leadership {
  /**
   * Resolves when this process leads, with a signal that is aborted when it no longer does. Rejects if the given
   * signal is aborted first.
   */
  whenLeader(signal: AbortSignal): Promise<AbortSignal>
  /** Lets another process lead. Called when the work has ended, whether or not this process still leads. */
  release(): Promise<void>
}

export interface LeadershipOptions {
  readonly leadership: Leadership
  readonly clock: Clock
  readonly log: Logger
  /** Stops everything. */
  readonly signal: AbortSignal
}

const RETRY_MILLISECONDS = 5_000

/**
 * Runs `work` whenever this process leads, until the signal is aborted. When leadership ends, the work's own signal
 * is aborted; leadership is released when the work has ended.
 */
export async function workWhileLeading(
  work: (signal: AbortSignal) => Promise<void>,
  { leadership, clock, log, signal }: LeadershipOptions,
): Promise<void> {
  while (!signal.aborted) {
    const term = new AbortController()
    const end = () => term.abort()
    try {
      const lost = await leadership.whenLeader(signal)
      signal.addEventListener('abort', end)
      lost.addEventListener('abort', end)
      if (signal.aborted || lost.aborted) end()
      await work(term.signal)
      await leadership.release()
    } catch (error) {
      if (signal.aborted) return
      log.error('leader election failed', { error })
      await pause(clock, RETRY_MILLISECONDS, signal)
    } finally {
      signal.removeEventListener('abort', end)
    }
  }
}
