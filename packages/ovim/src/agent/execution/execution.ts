import { StatusError } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import { pause } from '@orrery/kube/process'
import { isConnectionError } from '@orrery/kube/transport'
import { OperationError } from './operation-error.js'

/** One execution of an operation. */
export interface Execution {
  readonly operationId: string
  /** Aborted at the deadline, or when the agent stops. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** What the operation waits for at the moment: the message if its time is over. */
  waitsFor(what: string): void
}

const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 5_000

/** Whether the same request may succeed later: the server did not answer, or could not take it now. */
export function isTransient(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 429 || error.code >= 500
  return isConnectionError(error)
}

/**
 * Repeats a request until it succeeds or fails for good. KubeVirt answers 500 while an earlier start or stop is underway,
 * and 503 while its API is down: both pass.
 */
export async function persistently<T>(
  execution: Execution,
  what: string,
  call: () => Promise<T>,
  isPassing: (error: unknown) => boolean = isTransient,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    execution.signal.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      execution.signal.throwIfAborted()
      if (!isPassing(error)) throw error
      execution.waitsFor(`${what}: ${(error as Error).message}`)
      await pause(execution.clock, Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS), execution.signal)
    }
  }
}

/** Repeats a question until it is answered with yes. */
export async function waitUntil(execution: Execution, what: string, isDone: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; !(await persistently(execution, what, isDone)); attempt++) {
    execution.waitsFor(what)
    await pause(execution.clock, Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS), execution.signal)
  }
}

/** The reason and the message of any failure. */
export function failureOf(error: unknown): OperationError {
  if (error instanceof OperationError) return error
  if (error instanceof StatusError) {
    const { message } = error
    if (error.code === 403 && /exceeded quota/.test(message))
      return new OperationError('QuotaExceeded', message, { cause: error })
    if (error.code === 403) return new OperationError('Forbidden', message, { cause: error })
    if (error.code === 404) return new OperationError('NotFound', message, { cause: error })
    if (error.code === 409) return new OperationError('Conflict', message, { cause: error })
    if (error.code === 422 || error.code === 400) return new OperationError('InvalidPayload', message, { cause: error })
  }
  return new OperationError('Failed', (error as Error).message, { cause: error })
}
