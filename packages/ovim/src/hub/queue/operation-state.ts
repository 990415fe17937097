import type { Finding } from '@orrery/kinds/values'
import { formatTime, setConditions } from '@orrery/kinds/values'
import type { Operation, OperationStatus } from '../../kinds/operation.js'
import type { OperationPhase } from '../../kinds/operation-summary.js'
import { isFinal, type OperationResult } from '../../wire/operation.js'

/**
 * The life of an operation. Time is the hub's; a lease ends at `leasedUntil`.
 *
 * | phase             | delivered                     | progress reported    | result                    | deadline          |
 * |-------------------|-------------------------------|----------------------|---------------------------|-------------------|
 * | Pending           | Leased                        | Running              | Completed, Failed         | Expired           |
 * | Leased, Running   | Leased, once the lease ended  | Running, lease anew  | Completed, Failed         | Expired, as soon as the lease ended |
 * | Completed, Failed | never                         | no change            | no change: the first wins | no change         |
 * | Expired           | never                         | no change            | Completed, Failed         | no change         |
 *
 * A result that arrives after the deadline is what happened on the cluster, so it replaces Expired.
 */
export function phaseOf({ status }: Pick<Operation, 'status'>): OperationPhase {
  return status?.phase ?? 'Pending'
}

/** Whether nothing is to be delivered any more. */
export function isFinished(operation: Pick<Operation, 'status'>): boolean {
  const phase = phaseOf(operation)
  return phase === 'Completed' || phase === 'Failed' || phase === 'Expired'
}

/** The time without a result after which an operation without a timeout is delivered again. */
const DEFAULT_LEASE_SECONDS = 60
const MAX_RESULT_BYTES = 64 * 1024
const MAX_ERROR_CHARACTERS = 4_096

function leaseMilliseconds({ spec }: Pick<Operation, 'spec'>): number {
  return Math.max(DEFAULT_LEASE_SECONDS, spec.timeoutSeconds ?? 0) * 1_000
}

/** When an operation expires, if it is not leased then. */
function deadlineOf({ metadata, spec }: Pick<Operation, 'metadata' | 'spec'>): Date {
  return new Date(Date.parse(metadata.creationTimestamp) + spec.deadlineSeconds * 1_000)
}

/** When the lease ends; undefined if the operation is not leased. */
export function leaseEnd(operation: Pick<Operation, 'status'>): Date | undefined {
  const phase = phaseOf(operation)
  if (phase !== 'Leased' && phase !== 'Running') return undefined
  const until = Date.parse(operation.status?.leasedUntil ?? '')
  return new Date(Number.isNaN(until) ? 0 : until)
}

/** Whether an operation can be delivered now. */
export function isDeliverable(operation: Operation, now: Date): boolean {
  if (isFinished(operation) || now >= deadlineOf(operation)) return false
  const end = leaseEnd(operation)
  return end === undefined || now >= end
}

/** When an unfinished operation expires: at its deadline, or at the end of a lease that is longer. */
export function expiryOf(operation: Operation): Date {
  const deadline = deadlineOf(operation)
  const end = leaseEnd(operation)
  return end !== undefined && end > deadline ? end : deadline
}

/** The status after a delivery. */
export function delivered(operation: Operation, agentId: string, now: Date): OperationStatus {
  const { status = {} } = operation
  return {
    ...status,
    phase: 'Leased',
    agentId,
    attempts: (status.attempts ?? 0) + 1,
    startedAt: status.startedAt ?? formatTime(now),
    leasedUntil: formatTime(new Date(now.getTime() + leaseMilliseconds(operation))),
  }
}

/** The status after a report of the agent: the same if the report changes nothing. */
export function reported(operation: Operation, result: OperationResult, now: Date): OperationStatus {
  const { status = {} } = operation
  const phase = phaseOf(operation)
  if (phase === 'Completed' || phase === 'Failed') return status
  if (!isFinal(result.status)) {
    if (phase === 'Expired') return status
    const leasedUntil = formatTime(new Date(now.getTime() + leaseMilliseconds(operation)))
    return { ...status, phase: 'Running', startedAt: status.startedAt ?? formatTime(now), leasedUntil }
  }
  const { leasedUntil: _, ...rest } = status
  const isComplete = result.status === 'completed'
  const error = isComplete ? undefined : cut(result.error || 'the agent reported a failure without a reason')
  const next: OperationStatus = {
    ...rest,
    phase: isComplete ? 'Completed' : 'Failed',
    completedAt: formatTime(now),
    ...(result.timestamp !== '' && { reportedAt: new Date(result.timestamp).toISOString() }),
    ...(result.duration !== undefined && { durationMilliseconds: Math.round(result.duration / 1e6) }),
    ...(result.result !== undefined && { result: bounded(result.result) }),
    ...(error !== undefined && { error }),
  }
  const finding = isComplete
    ? complete('True', 'Executed', 'the agent has executed the operation')
    : complete('False', 'ExecutionFailed', error ?? '')
  return { ...next, conditions: setConditions(status.conditions, [finding], now) }
}

/** The status of an operation that no agent has executed before its deadline. */
export function expired(operation: Operation, now: Date): OperationStatus {
  const { leasedUntil: _, ...status } = operation.status ?? {}
  const error =
    (status.attempts ?? 0) === 0
      ? `no agent of zone ${JSON.stringify(operation.spec.zone)} asked for the operation before its deadline: check the agent`
      : `the agent got the operation ${status.attempts} times and did not report a result before its deadline`
  return finishedBy(status, 'Expired', error, 'DeadlineExceeded', now)
}

/** The status of an operation that is not needed any more and was never delivered. */
export function cancelled(operation: Operation, reason: string, now: Date): OperationStatus {
  return finishedBy(operation.status ?? {}, 'Failed', reason, 'Cancelled', now)
}

function finishedBy(
  status: OperationStatus,
  phase: 'Expired' | 'Failed',
  error: string,
  reason: string,
  now: Date,
): OperationStatus {
  const conditions = setConditions(status.conditions, [complete('False', reason, error)], now)
  return { ...status, phase, error, completedAt: formatTime(now), conditions }
}

function complete(status: 'True' | 'False', reason: string, message: string): Finding {
  return { type: 'Complete', status, reason, message }
}

function cut(text: string): string {
  return text.length > MAX_ERROR_CHARACTERS ? `${text.slice(0, MAX_ERROR_CHARACTERS)}…` : text
}

/** Results are kept in the object: an agent must not fill the store. */
function bounded(result: NonNullable<OperationResult['result']>): NonNullable<OperationResult['result']> {
  return JSON.stringify(result).length > MAX_RESULT_BYTES
    ? { truncated: `the result was larger than ${MAX_RESULT_BYTES} bytes` }
    : result
}
