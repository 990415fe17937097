import type { Job, Pod, UncountedTerminatedPods } from '@orrery/kinds'
import { hasFinalizer, isBeingDeleted } from '@orrery/kube'
import { isActive, isReady, isTerminating } from '../podstate.js'
import { matchFailurePolicy } from './failure-policy.js'
import { formatIndexes, parseIndexes } from './indexes.js'
import { TRACKING_FINALIZER } from './names.js'
import { earlierFailures, indexOf, isIndexed } from './pod.js'

/** Where a job stands, by its status and its pods. */
export interface Tally {
  readonly pods: readonly Pod[]
  readonly active: readonly Pod[]
  readonly ready: number
  readonly terminating: readonly Pod[]
  readonly succeeded: number
  readonly failed: number
  /** Ends that are counted in `succeeded` and `failed`, but not yet in the numbers of the status. */
  readonly uncounted: Required<UncountedTerminatedPods>
  /** Of a job with indexes. */
  readonly succeededIndexes: ReadonlySet<number>
  readonly failedIndexes: ReadonlySet<number>
}

/**
 * Counts each pod's end just once: it is noted in the status by uid while its finalizer keeps the pod, and becomes a mere
 * number when the finalizer is gone.
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

/** One that is to end before it succeeded counts as failed at once, unless only real failures are replaced. */
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

/** Indexes that are given up: too many have failed at them, or one in a way that is final. */
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
