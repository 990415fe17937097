import type { Job } from '@orrery/kinds'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import { isFinished } from '../podstate.js'
import { matchFailurePolicy } from './failure-policy.js'
import { includesIndex, parseRanges, sizeOf } from './indexes.js'
import { isIndexed } from './pod.js'
import { hasFailed, type Tally } from './tally.js'

/** How a Job finishes. It is decided before the last pods have ended. */
export interface JobResult {
  readonly outcome: 'succeeds' | 'fails'
  readonly reason: string
  readonly message: string
}

export function isOver({ status }: Job): boolean {
  return isConditionTrue(status?.conditions, 'Complete') || isConditionTrue(status?.conditions, 'Failed')
}

/** Returns whether and how a Job finishes. An earlier decision is final; failure is checked before success. */
export function resultOf(job: Job, tally: Tally, now: Date): JobResult | undefined {
  return decided(job) ?? failureOf(job, tally, now) ?? successOf(job, tally)
}

/** Returns when `activeDeadlineSeconds` passes. */
export function deadlineOf({ spec, status }: Job): Date | undefined {
  if (spec.activeDeadlineSeconds === undefined || spec.suspend === true || status?.startTime === undefined) {
    return undefined
  }
  return new Date(Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000)
}

function decided({ status }: Job): JobResult | undefined {
  const success = findCondition(status?.conditions, 'SuccessCriteriaMet')
  if (success?.status === 'True') {
    return { outcome: 'succeeds', reason: success.reason ?? '', message: success.message ?? '' }
  }
  const failure = findCondition(status?.conditions, 'FailureTarget')
  if (failure?.status !== 'True') return undefined
  return { outcome: 'fails', reason: failure.reason ?? '', message: failure.message ?? '' }
}

function failureOf(job: Job, tally: Tally, now: Date): JobResult | undefined {
  const { spec } = job
  const fails = (reason: string, message: string): JobResult => ({ outcome: 'fails', reason, message })
  for (const pod of tally.pods.filter((one) => hasFailed(job, one))) {
    const { action, message } = matchFailurePolicy(pod, job)
    if (action === 'FailJob') return fails('PodFailurePolicy', message)
  }
  // With `backoffLimitPerIndex`, there is no overall limit unless `backoffLimit` is set.
  const limit = spec.backoffLimit ?? 6
  if (
    tally.failed > limit ||
    (spec.template.spec.restartPolicy === 'OnFailure' && restarts(tally) >= Math.max(limit, 1))
  ) {
    return fails('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  }
  const deadline = deadlineOf(job)
  if (deadline !== undefined && deadline <= now) {
    return fails('DeadlineExceeded', 'Job was active longer than specified deadline')
  }
  const given = tally.failedIndexes.size
  if (spec.maxFailedIndexes !== undefined && given > spec.maxFailedIndexes) {
    return fails('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes')
  }
  if (given > 0 && given + tally.succeededIndexes.size >= (spec.completions ?? 0)) {
    return fails('FailedIndexes', 'Job has failed indexes')
  }
  return undefined
}

function successOf(job: Job, tally: Tally): JobResult | undefined {
  const rule = isIndexed(job) ? metRule(job, tally) : undefined
  if (rule !== undefined) {
    return { outcome: 'succeeds', reason: 'SuccessPolicy', message: `Matched rules at index ${rule}` }
  }
  const { completions } = job.spec
  const isEnough = completions === undefined ? tally.succeeded > 0 : tally.succeeded >= completions
  if (!isEnough || tally.active.length > 0) return undefined
  return {
    outcome: 'succeeds',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  }
}

/** Returns the first rule of the success policy that is met. */
function metRule({ spec }: Job, { succeededIndexes }: Tally): number | undefined {
  const rules = spec.successPolicy?.rules ?? []
  const met = rules.findIndex(({ succeededIndexes: wanted, succeededCount }) => {
    const ranges = wanted === undefined ? undefined : parseRanges(wanted, spec.completions ?? 0)
    const done =
      ranges === undefined
        ? succeededIndexes.size
        : [...succeededIndexes].filter((index) => includesIndex(ranges, index)).length
    return done > 0 && done >= (succeededCount ?? (ranges === undefined ? done : sizeOf(ranges)))
  })
  return met < 0 ? undefined : met
}

function restarts({ pods }: Tally): number {
  let count = 0
  for (const { status } of pods.filter((pod) => !isFinished(pod))) {
    for (const one of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
      count += one.restartCount
    }
  }
  return count
}
