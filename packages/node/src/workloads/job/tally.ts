import type { Job, Pod, UncountedTerminatedPods } from '@orrery/kinds'
import { hasFinalizer, isBeingDeleted } from '@orrery/kube'
import { isActive, isReady, isTerminating } from '../podstate.js'
import { matchFailurePolicy } from './failure-policy.js'
import { formatIndexes, parseIndexes } from './indexes.js'
import { TRACKING_FINALIZER } from './names.js'
import { earlierFailures, indexOf, isIndexed } from './pod.js'

/** The progress of a Job, from its status and its pods. */
export interface Tally {
  readonly pods: readonly Pod[]
  readonly active: readonly Pod[]
  readonly ready: number
  readonly terminating: readonly Pod[]
  readonly succeeded: number
  readonly failed: number
  /** Ended pods that are counted in `succeeded` and `failed`, but not yet in the numbers of the status. */
  readonly uncounted: Required<UncountedTerminatedPods>
  /** Only for indexed Jobs. */
  readonly succeededIndexes: ReadonlySet<number>
  readonly failedIndexes: ReadonlySet<number>
}

/**
 * Counts the end of each pod exactly once: it is recorded in the status by UID while the finalizer keeps the pod, and
 * added to the numbers when the finalizer is removed.
 */
export function tallyOf(job: Job, pods: readonly Pod[]): Tally {
  const noted = job.status?.uncountedTerminatedPods ?? {}
  const known = new Set([...(noted.succeeded ?? []), ...(noted.failed ?? [])])
  const isNew = (pod: Pod) => hasFinalizer(pod, TRACKING_FINALIZER) && !known.has(pod.metadata.uid)
  const succeededPods = pods.filter(({ status }) => status?.phase === 'Succeeded')
  const failedPods = pods.filter((pod) => hasFailed(job, pod))
  const counts = failedPods.filter((pod) => matchFailurePolicy(pod, job).action !== 'Ignore')
  const uncounted = {
    succeeded: [...(noted.succeeded ?? []), ...succeededPods.filter(isNew).map(uidOf)],
    failed: [...(noted.failed ?? []), ...counts.filter(isNew).map(uidOf)],
  }
  const active = pods.filter(isActive)
  const succeededIndexes = indexesDone(job, succeededPods)
  return {
    pods,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating),
    succeeded: isIndexed(job) ? succeededIndexes.size : (job.status?.succeeded ?? 0) + uncounted.succeeded.length,
    failed: (job.status?.failed ?? 0) + uncounted.failed.length,
    uncounted,
    succeededIndexes,
    failedIndexes: indexesFailed(job, failedPods, succeededIndexes),
  }
}

export function formatted(indexes: ReadonlySet<number>): string {
  return formatIndexes(indexes)
}

/**
 * A pod that is deleted before it succeeded counts as failed immediately, unless `podReplacementPolicy` is `Failed`.
 */
export function hasFailed(job: Job, pod: Pod): boolean {
  if (pod.status?.phase === 'Failed') return true
  return isBeingDeleted(pod) && pod.status?.phase !== 'Succeeded' && !replacesOnlyFailed(job)
}

export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined
}

function indexesDone(job: Job, succeeded: readonly Pod[]): ReadonlySet<number> {
  if (!isIndexed(job)) return new Set()
  const { completions = 0 } = job.spec
  const indexes = parseIndexes(job.status?.completedIndexes, completions)
  for (const pod of succeeded) {
    const index = indexOf(pod)
    if (index !== undefined && index < completions) indexes.add(index)
  }
  return indexes
}

/** Returns the failed indexes: those beyond `backoffLimitPerIndex`, and those that a rule fails. */
function indexesFailed(job: Job, failed: readonly Pod[], succeeded: ReadonlySet<number>): ReadonlySet<number> {
  const { backoffLimitPerIndex: limit, completions = 0 } = job.spec
  if (!isIndexed(job) || limit === undefined) return new Set()
  const indexes = parseIndexes(job.status?.failedIndexes, completions)
  for (const pod of failed) {
    const index = indexOf(pod)
    if (index === undefined || index >= completions || succeeded.has(index)) continue
    const { action } = matchFailurePolicy(pod, job)
    if (action === 'FailIndex' || (action !== 'Ignore' && earlierFailures(pod) >= limit)) indexes.add(index)
  }
  return indexes
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid
}
