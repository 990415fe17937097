import type { Clock } from '../clock.js'
import { pause } from '../informer/pause.js'
import type { Logger } from '../log.js'

/** Decides which of several processes works. */
export interface Leadership {
  /**
   * Resolves when this process leads, with a signal that is aborted when it does no longer. Whoever is asked stands
   * down when the given signal is aborted.
   */
  whenLeader(signal: AbortSignal): Promise<AbortSignal>
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
 * Works whenever this process leads, until the signal is aborted. The work ends when its own signal is aborted; only
 * then the process stands down, so that the next leader does not begin before this one has ended.
 */
export async function workWhileLeading(
  work: (signal: AbortSignal) => Promise<void>,
  { leadership, clock, log, signal }: LeadershipOptions,
): Promise<void> {
  while (!signal.aborted) {
    const candidacy = new AbortController()
    const withdraw = () => candidacy.abort()
    const term = new AbortController()
    const end = () => term.abort()
    signal.addEventListener('abort', withdraw)
    try {
      const lost = await leadership.whenLeader(candidacy.signal)
      signal.removeEventListener('abort', withdraw)
      signal.addEventListener('abort', end)
      lost.addEventListener('abort', end)
      if (signal.aborted || lost.aborted) end()
      log.info('this process leads now')
      await work(term.signal)
      log.info('this process leads no longer', { stopped: signal.aborted })
    } catch (error) {
      if (signal.aborted) return
      log.error('leader election failed', { error })
      await pause(clock, RETRY_MILLISECONDS, signal)
    } finally {
      signal.removeEventListener('abort', withdraw)
      signal.removeEventListener('abort', end)
      withdraw()
    }
  }
}
