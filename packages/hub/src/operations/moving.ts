import type { CallOptions } from '@orrery/kube/client'
import { withTimeLimit } from '@orrery/kube/process'
import { OperationError } from './operation-error.js'

/** How to change a work that can have several parts. */
export interface MoveOptions extends CallOptions {
  /** How long clusters may take to apply objects that move between the parts of a work, in milliseconds. Default 5 minutes. */
  readonly movingMilliseconds?: number
}

const DEFAULT_MILLISECONDS = 300_000

/** Waits while clusters apply objects that move between parts. `late` is the error message when the time is over. */
export async function whileMoving(
  { movingMilliseconds = DEFAULT_MILLISECONDS, signal }: MoveOptions,
  late: string,
  wait: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await withTimeLimit(movingMilliseconds, signal, async (limit) => {
    try {
      await wait(limit)
    } catch (error) {
      throw limit.aborted && signal?.aborted !== true ? new OperationError(late, { cause: error }) : error
    }
  })
}
