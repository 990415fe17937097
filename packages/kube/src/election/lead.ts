import type { LeaderElection } from './election.js'

/**
 * Waits for leadership and runs `work` while it lasts. The signal of the work is aborted when leadership is lost or
 * `signal` is aborted. The lease is renewed until the work has ended, and then released, so that a successor never
 * runs beside it. Resolves with `lost` if the caller may want to try again.
 */
export async function lead(
  election: LeaderElection,
  work: (leading: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<'ended' | 'lost'> {
  let leading: AbortSignal
  try {
    leading = await election.whenLeader(signal)
  } catch (error) {
    if (signal.aborted) return 'ended'
    throw error
  }
  const stop = AbortSignal.any([leading, signal])
  let wasLost = false
  try {
    await work(stop)
  } catch (error) {
    if (!isAbort(error, stop)) throw error
  } finally {
    wasLost = leading.aborted
    await election.release()
  }
  return wasLost ? 'lost' : 'ended'
}

/** Whether the work ended because it was aborted. */
function isAbort(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.name === 'AbortError'))
}
