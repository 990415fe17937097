import type { Job, JobCondition, JobStatus } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { withCondition } from '../conditions.js'
import { isIndexed } from './pod.js'
import type { JobResult } from './result.js'
import { formatted, type Tally } from './tally.js'

export interface StatusSituation {
  readonly job: Job
  readonly tally: Tally
  readonly result: JobResult | undefined
  /** UIDs of pods without the finalizer: they are counted only as numbers. */
  readonly released: ReadonlySet<string>
  readonly now: Date
}

/** Computes the status from the pods. A Job is finished when its last pod is. */
export function jobStatus(before: JobStatus | undefined, situation: StatusSituation): JobStatus {
  const { job, tally, result, released, now } = situation
  const { succeeded, failed } = tally.uncounted
  const isHeld = (uid: string) => !released.has(uid)
  const held = { succeeded: succeeded.filter(isHeld), failed: failed.filter(isHeld) }
  const isSuspended = job.spec.suspend === true
  const { startTime = formatTime(now), ...kept } = before ?? {}
  const isDone =
    result !== undefined &&
    tally.active.length + tally.terminating.length + held.succeeded.length + held.failed.length === 0
  const isComplete = isDone && result.outcome === 'succeeds'
  return {
    ...kept,
    conditions: conditionsOf(before, situation, isDone),
    ...(!isSuspended && { startTime }),
    ...(isComplete && { completionTime: before?.completionTime ?? formatTime(now) }),
    active: tally.active.length,
    ready: tally.ready,
    terminating: tally.terminating.length,
    succeeded: isIndexed(job) ? tally.succeededIndexes.size : tally.succeeded - held.succeeded.length,
    failed: tally.failed - held.failed.length,
    uncountedTerminatedPods: held,
    ...(isIndexed(job) && { completedIndexes: formatted(tally.succeededIndexes) }),
    ...(job.spec.backoffLimitPerIndex !== undefined && { failedIndexes: formatted(tally.failedIndexes) }),
  }
}

/**
 * Returns the status with the ended pods in `uncountedTerminatedPods`, to be written before their finalizers are
 * removed.
 */
export function notedStatus(before: JobStatus | undefined, { job, tally }: StatusSituation): JobStatus {
  return {
    ...before,
    uncountedTerminatedPods: tally.uncounted,
    ...(isIndexed(job) && { completedIndexes: formatted(tally.succeededIndexes) }),
    ...(job.spec.backoffLimitPerIndex !== undefined && { failedIndexes: formatted(tally.failedIndexes) }),
  }
}

function conditionsOf(before: JobStatus | undefined, { job, result, now }: StatusSituation, isDone: boolean) {
  const set = (
    conditions: readonly JobCondition[],
    type: string,
    status: 'True' | 'False',
    reason: string,
    message: string,
  ) => withCondition(conditions, { type, status, reason, message, lastProbeTime: formatTime(now) }, now)
  let conditions = before?.conditions ?? []
  if (result === undefined) {
    if (job.spec.suspend === true) return set(conditions, 'Suspended', 'True', 'JobSuspended', 'Job suspended')
    const wasSuspended = conditions.some(({ type, status }) => type === 'Suspended' && status === 'True')
    return wasSuspended ? set(conditions, 'Suspended', 'False', 'JobResumed', 'Job resumed') : conditions
  }
  const { outcome, reason, message } = result
  conditions = set(conditions, outcome === 'succeeds' ? 'SuccessCriteriaMet' : 'FailureTarget', 'True', reason, message)
  if (!isDone) return conditions
  return set(conditions, outcome === 'succeeds' ? 'Complete' : 'Failed', 'True', reason, message)
}
