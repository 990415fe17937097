import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@orrery/kinds'
import { findCondition, formatTime, removeCondition } from '@orrery/kinds/values'
import { withCondition } from '../conditions.js'
import { allOf, type Rollout } from './rollout.js'

const PROGRESSING = 'Progressing'
const REPLICA_FAILURE = 'ReplicaFailure'
const COMPLETED = 'NewReplicaSetAvailable'
const TIMED_OUT = 'ProgressDeadlineExceeded'
const PAUSED = 'DeploymentPaused'
/** The value of `progressDeadlineSeconds` that means no deadline. */
const NO_DEADLINE = 2 ** 31 - 1

type Conditions = readonly DeploymentCondition[]
export type Finding = Pick<DeploymentCondition, 'type' | 'status'> & { reason: string; message: string }

/** Sets a condition of a Deployment, with `lastUpdateTime`. */
export function withDeploymentCondition(conditions: Conditions | undefined, finding: Finding, now: Date): Conditions {
  return withCondition(conditions, { ...finding, lastUpdateTime: formatTime(now) }, now)
}

export function progressing(status: Finding['status'], reason: string, message: string): Finding {
  return { type: PROGRESSING, status, reason, message }
}

export function hasDeadline({ spec }: Deployment): boolean {
  return (spec.progressDeadlineSeconds ?? NO_DEADLINE) !== NO_DEADLINE
}

/** Returns whether all pods are of the current template and available, and there are no others. */
export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus): boolean {
  const replicas = spec.replicas ?? 1
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  )
}

/** Returns the conditions after a pause or resume: the paused time does not count toward the progress deadline. */
export function pauseConditions(deployment: Deployment, before: DeploymentStatus | undefined, now: Date): Conditions {
  const conditions = before?.conditions ?? []
  const known = findCondition(conditions, PROGRESSING)
  if (!hasDeadline(deployment) || known?.reason === TIMED_OUT) return conditions
  const wasPaused = known?.reason === PAUSED
  if (deployment.spec.paused === true) {
    if (wasPaused) return conditions
    return withDeploymentCondition(conditions, progressing('Unknown', PAUSED, 'Deployment is paused'), now)
  }
  if (!wasPaused) return conditions
  return withDeploymentCondition(conditions, progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed'), now)
}

/**
 * Returns the conditions with a created ReplicaSet. A found ReplicaSet counts only if there is no `Progressing`
 * condition.
 */
export function changeConditions(
  deployment: Deployment,
  conditions: Conditions,
  news: Finding | undefined,
  now: Date,
): Conditions {
  if (news === undefined || !hasDeadline(deployment)) return conditions
  const isKnown = findCondition(conditions, PROGRESSING) !== undefined
  return news.reason === 'FoundNewReplicaSet' && isKnown ? conditions : withDeploymentCondition(conditions, news, now)
}

/** Returns the conditions with the progress of a rollout. */
export function progressConditions(
  deployment: Deployment,
  rollout: Rollout,
  before: DeploymentStatus | undefined,
  after: DeploymentStatus,
  now: Date,
): Conditions {
  const conditions = after.conditions ?? []
  if (!hasDeadline(deployment)) return removeCondition(conditions, PROGRESSING)
  const known = findCondition(conditions, PROGRESSING)
  if (known?.reason === COMPLETED && (after.replicas ?? 0) === (after.updatedReplicas ?? 0)) return conditions
  const { current } = rollout
  const subject =
    current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`
  if (isComplete(deployment, after)) {
    const finding = progressing('True', COMPLETED, `${subject} has successfully progressed.`)
    return withDeploymentCondition(conditions, finding, now)
  }
  if (hasAdvanced(before ?? {}, after)) {
    const finding = progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`)
    // Each step of progress updates the condition, although the message is the same.
    const others = removeCondition(conditions, PROGRESSING)
    const kept = known?.status === 'True' ? known.lastTransitionTime : undefined
    const condition = { ...finding, lastUpdateTime: formatTime(now), lastTransitionTime: kept ?? formatTime(now) }
    return [...others, condition]
  }
  if (deadlineOf(deployment, known, now)?.isOver === true) {
    const finding = progressing('False', TIMED_OUT, `${subject} has timed out progressing.`)
    return withDeploymentCondition(conditions, finding, now)
  }
  return conditions
}

/** Returns when the progress deadline of a rollout passes. */
export function deadlineOf(
  deployment: Deployment,
  known: DeploymentCondition | undefined,
  now: Date,
): { readonly at: Date; readonly isOver: boolean } | undefined {
  if (!hasDeadline(deployment) || known?.lastUpdateTime === undefined || known.reason === COMPLETED) return undefined
  if (known.reason === PAUSED || known.reason === TIMED_OUT) return undefined
  const at = new Date(Date.parse(known.lastUpdateTime) + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000)
  return { at, isOver: at < now }
}

/** Returns the conditions with the failure of a ReplicaSet, preferring the current one. */
export function failureConditions(conditions: Conditions, rollout: Rollout, now: Date): Conditions {
  const failures = allOf(rollout)
    .reverse()
    .map(({ status }: ReplicaSet) => findCondition(status?.conditions, REPLICA_FAILURE))
  const failure = failures.find((condition) => condition !== undefined)
  if (failure === undefined) return removeCondition(conditions, REPLICA_FAILURE)
  const { status, reason = '', message = '' } = failure
  return withDeploymentCondition(conditions, { type: REPLICA_FAILURE, status, reason, message }, now)
}

function hasAdvanced(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const former = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0) ||
    former(after) < former(before)
  )
}
