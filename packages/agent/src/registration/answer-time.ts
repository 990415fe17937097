import type { Clock } from '@orrery/kube/clock'

/** How long a hub may take for its answers, in milliseconds. */
const ANSWER_MILLISECONDS = 120_000

/**
 * Runs requests to a hub with a time limit for all of them. A hub can send its answers so slowly that they never end, and
 * the agent has to try the next hub.
 */
export async function withinAnswerTime<T>(
  clock: Clock,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const seconds = ANSWER_MILLISECONDS / 1_000
  const cancel = clock.after(ANSWER_MILLISECONDS, () =>
    limit.abort(new Error(`the hub did not answer within ${seconds} s`)),
  )
  try {
    return await run(AbortSignal.any([signal, limit.signal]))
  } finally {
    cancel()
  }
}
