import type { Draft, Job, Pod } from '@orrery/kinds'
import { hasFinalizer } from '@orrery/kube'
import { BURST } from '../batches.js'
import { leastMissed } from '../pod-order.js'
import { isFinished } from '../podstate.js'
import { finishedAt } from './finish.js'
import { TRACKING_FINALIZER } from './names.js'
import { earlierFailures, indexedPod, indexOf, isIndexed, jobPod } from './pod.js'
import { hasFailed, replacesOnlyFailed, type Tally } from './tally.js'

/** The next actions for the pods of a Job. */
export interface Plan {
  readonly create: readonly Draft<Pod>[]
  readonly remove: readonly Pod[]
  /** When failed pods may be replaced. */
  readonly next: Date | undefined
}

/** The delay after the first failure; it doubles with each further one. */
const FIRST_PAUSE = 10_000
const MAX_PAUSE = 600_000

export function planOf(job: Job, tally: Tally, now: Date): Plan {
  const { spec } = job
  if (spec.suspend === true) return { create: [], remove: tally.active.slice(0, BURST), next: undefined }
  const wanted = wantedActive(job, tally)
  const surplus = tally.active.length - wanted
  if (surplus > 0) {
    const count = Math.min(surplus, BURST)
    return { create: [], remove: leastMissed(tally.active, tally.active, count, now), next: undefined }
  }
  // With `podReplacementPolicy: Failed`, terminating pods still count.
  const missing = Math.min(-surplus - (replacesOnlyFailed(job) ? tally.terminating.length : 0), BURST)
  if (missing <= 0) return { create: [], remove: [], next: undefined }
  if (isIndexed(job)) return indexedPlan(job, tally, missing, now)
  const due = pauseEnd(job, tally.pods)
  if (due > now.getTime()) return { create: [], remove: [], next: new Date(due) }
  return { create: Array.from({ length: missing }, () => jobPod(job)), remove: [], next: undefined }
}

function wantedActive({ spec }: Job, { active, succeeded, failedIndexes }: Tally): number {
  const { parallelism = 1, completions } = spec
  // Without `completions`, the first success means that no further pods are started.
  if (completions === undefined) return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism
  return Math.min(parallelism, Math.max(0, completions - succeeded - failedIndexes.size))
}

function indexedPlan(job: Job, tally: Tally, missing: number, now: Date): Plan {
  const isPerIndex = job.spec.backoffLimitPerIndex !== undefined
  const jobDue = isPerIndex ? 0 : pauseEnd(job, tally.pods)
  // Without this, a job with billions of indexes would look for one that has no pause.
  if (jobDue > now.getTime()) return { create: [], remove: [], next: new Date(jobDue) }
  const taken = new Set([...tally.active, ...(replacesOnlyFailed(job) ? tally.terminating : [])].map(indexOf))
  const failures = failuresByIndex(job, tally)
  const create: Draft<Pod>[] = []
  let next = Number.POSITIVE_INFINITY
  for (let index = 0; index < (job.spec.completions ?? 0) && create.length < missing; index++) {
    if (taken.has(index) || tally.succeededIndexes.has(index) || tally.failedIndexes.has(index)) continue
    const former = failures.get(index) ?? []
    const due = isPerIndex ? pauseEnd(job, former) : 0
    if (due > now.getTime()) next = Math.min(next, due)
    else {
      const failed = former.reduce((most, pod) => Math.max(most, earlierFailures(pod) + 1), 0)
      create.push(indexedPod(job, index, failed))
    }
  }
  return { create, remove: [], next: Number.isFinite(next) ? new Date(next) : undefined }
}

function failuresByIndex(job: Job, { pods }: Tally): ReadonlyMap<number | undefined, readonly Pod[]> {
  const failures = new Map<number | undefined, Pod[]>()
  for (const pod of pods.filter((one) => hasFailed(job, one))) {
    const index = indexOf(pod)
    const known = failures.get(index)
    if (known === undefined) failures.set(index, [pod])
    else known.push(pod)
  }
  return failures
}

/** Returns when the delay after the last failures ends, in milliseconds since 1970. A success resets the count. */
function pauseEnd(job: Job, pods: readonly Pod[]): number {
  const ends = (wanted: (pod: Pod) => boolean) => pods.filter(wanted).map(finishedAt)
  const lastSuccess = latest(ends(({ status }) => status?.phase === 'Succeeded'))
  const failures = ends((pod) => hasFailed(job, pod) && !wasRemoved(pod)).filter((time) => time > lastSuccess)
  if (failures.length === 0) return 0
  return latest(failures) + Math.min(FIRST_PAUSE * 2 ** (failures.length - 1), MAX_PAUSE)
}

/** `Math.max` has a limit of arguments. */
function latest(times: readonly number[]): number {
  return times.reduce((most, time) => Math.max(most, time), 0)
}

/** Returns whether the Job controller deleted the pod. */
function wasRemoved(pod: Pod): boolean {
  return !isFinished(pod) && !hasFinalizer(pod, TRACKING_FINALIZER)
}
