import type { Deployment, DeploymentStatus } from '@orrery/kinds'
import { boundsOf } from './bounds.js'
import {
  changeConditions,
  type Finding,
  failureConditions,
  pauseConditions,
  progressConditions,
  withDeploymentCondition,
} from './progress.js'
import { allOf, type Rollout, sizeOf, total } from './rollout.js'

export interface StatusSituation {
  /** The Deployment that was reconciled; later changes are not handled yet. */
  readonly deployment: Deployment
  readonly rollout: Rollout
  /** Whether the rollout could make progress: a paused or rescaled Deployment could not. */
  readonly isRolling: boolean
  /** The event of the current ReplicaSet. */
  readonly news: Finding | undefined
  readonly now: Date
}

/** Computes the status from the ReplicaSets. */
export function deploymentStatus(before: DeploymentStatus | undefined, situation: StatusSituation): DeploymentStatus {
  const { deployment, rollout, isRolling, now } = situation
  const sets = allOf(rollout)
  const available = total(sets, ({ status }) => status?.availableReplicas ?? 0)
  const { generation } = deployment.metadata
  const numbers: DeploymentStatus = {
    ...(generation !== undefined && { observedGeneration: generation }),
    replicas: total(sets, ({ status }) => status?.replicas ?? 0),
    updatedReplicas: rollout.current?.status?.replicas ?? 0,
    readyReplicas: total(sets, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, total(sets, sizeOf) - available),
    terminatingReplicas: total(sets, ({ status }) => status?.terminatingReplicas ?? 0),
    ...(before?.collisionCount !== undefined && { collisionCount: before.collisionCount }),
  }
  const paused = pauseConditions(deployment, before, now)
  const told = changeConditions(deployment, paused, situation.news, now)
  const conditions = withAvailability(told, deployment, available, now)
  if (!isRolling) return { ...numbers, conditions }
  const progressed = progressConditions(deployment, rollout, before, { ...numbers, conditions }, now)
  return { ...numbers, conditions: failureConditions(progressed, rollout, now) }
}

type Conditions = NonNullable<DeploymentStatus['conditions']>

function withAvailability(conditions: Conditions, deployment: Deployment, available: number, now: Date): Conditions {
  const { replicas, maxUnavailable } = boundsOf(deployment)
  const finding =
    available >= replicas - maxUnavailable
      ? ({
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        } as const)
      : ({
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        } as const)
  return withDeploymentCondition(conditions, { type: 'Available', ...finding }, now)
}
