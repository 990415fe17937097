import type { CallOptions } from '@orrery/kube'
import { OperationError } from './operation-error.js'

/** How to change a work that may have several parts. */
export interface MoveOptions extends CallOptions {
  /** How long clusters may take to apply what moves between the parts of a work, in milliseconds. Default 5 minutes. */
  readonly movingMilliseconds?: number
}

const DEFAULT_MILLISECONDS = 300_000

/** Waits while clusters apply what moves between parts, for so long at most. `late` is what is said after that. */
export async function whileMoving(
  { movingMilliseconds = DEFAULT_MILLISECONDS, signal }: MoveOptions,
  late: string,
  wait: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const limit = new AbortController()
  // The timers of signals do not keep a process from ending, and there may be no connection that does.
  const timer = setTimeout(() => limit.abort(), movingMilliseconds)
  try {
    await wait(signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]))
  } catch (error) {
    throw limit.signal.aborted ? new OperationError(late, { cause: error }) : error
  } finally {
    clearTimeout(timer)
  }
}
