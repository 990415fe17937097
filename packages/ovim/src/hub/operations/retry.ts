import { formatTime } from '@orrery/kinds/values'
import type { OperationSummary } from '../../kinds/operation-summary.js'

const FIRST_RETRY_MS = 15_000
const LAST_RETRY_MS = 600_000

/** The summary of an operation that has failed: repeated after a time that doubles with each failure in a row. */
export function withFailure(summary: OperationSummary, now: Date): OperationSummary {
  const failures = (summary.failures ?? 0) + 1
  const delay = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS)
  return { ...summary, failures, retryAt: formatTime(new Date(now.getTime() + delay)) }
}

export function withoutFailure({ failures: _, retryAt: __, ...summary }: OperationSummary): OperationSummary {
  return summary
}

/** When the next operation may start; undefined if now. */
export function retryTime(summary: OperationSummary | undefined, now: Date): Date | undefined {
  if (summary?.retryAt === undefined) return undefined
  const at = new Date(summary.retryAt)
  return now < at ? at : undefined
}
