import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import { pause } from '../wait.js'

/** Decides which of several processes works: a `LeaderElection`, for example. */
export interface Leadership {
  /**
   * Resolves when this process leads, with a signal that is aborted when it does no longer. Rejects when the given
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
  /** Ends everything. */
  readonly signal: AbortSignal
}

const RETRY_MILLISECONDS = 5_000

/**
 * Works whenever this process leads, until the signal is aborted. The work is told to end by its own signal, and only
 * when it has ended another process may lead.
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
