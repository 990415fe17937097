import type { NamespacedObject, Pod } from '@orrery/kinds'
import { removeCondition } from '@orrery/kinds/values'
import { withCondition } from '../conditions.js'
import { messageOf } from '../pod-control.js'
import { isActive, isAvailable, isReady, isTerminating } from '../podstate.js'
import type { ReplicasStatus, Wanted } from './family.js'

const FAILURE = 'ReplicaFailure'

/** Why pods could not be created or deleted. */
export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete'
  readonly error: unknown
}

/** The pods of an object, and the failure of the last sync, if any. */
export interface Outcome {
  readonly owner: NamespacedObject
  readonly wanted: Wanted
  readonly pods: readonly Pod[]
  readonly failure: ReplicaFailure | undefined
}

/** Computes the status after a sync. */
export function replicasStatus(before: ReplicasStatus | undefined, outcome: Outcome, now: Date): ReplicasStatus {
  const { owner, pods, failure } = outcome
  const { minReadySeconds, template } = outcome.wanted
  const active = pods.filter(isActive)
  const ready = active.filter(isReady)
  const terminatingReplicas = owner.kind === 'ReplicaSet' ? pods.filter(isTerminating).length : undefined
  const labels = Object.entries(template?.metadata?.labels ?? {})
  const isFullyLabeled = ({ metadata }: Pod) => labels.every(([key, value]) => metadata.labels?.[key] === value)
  return {
    replicas: active.length,
    fullyLabeledReplicas: active.filter(isFullyLabeled).length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    ...(terminatingReplicas !== undefined && { terminatingReplicas }),
    ...(owner.metadata.generation !== undefined && { observedGeneration: owner.metadata.generation }),
    conditions: conditionsOf(before, failure, now),
  }
}

/**
 * The first failure stays until there is none: each message names another pod, which would update the status each time.
 */
function conditionsOf(status: ReplicasStatus | undefined, failure: ReplicaFailure | undefined, now: Date) {
  if (failure === undefined) return removeCondition(status?.conditions, FAILURE)
  const message = messageOf(failure.error)
  return withCondition(status?.conditions, { type: FAILURE, status: 'True', reason: failure.reason, message }, now)
}
