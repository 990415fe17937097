import type { Pod, StatefulSet, StatefulSetStatus } from '@orrery/kinds'
import { isBeingDeleted } from '@orrery/kube'
import { isAvailable, isReady } from '../podstate.js'
import type { History } from '../revisions.js'
import { revisionOf } from './identity.js'

export interface StatusSituation {
  readonly set: StatefulSet
  readonly pods: readonly Pod[]
  readonly history: History
  /** The name of the revision before the template changed. */
  readonly currentRevision: string
  readonly now: Date
}

/** Computes the status from the pods. A rollout is complete when all pods have the update revision and are ready. */
export function statefulSetStatus(
  before: StatefulSetStatus | undefined,
  { set, pods, history, currentRevision, now }: StatusSituation,
): StatefulSetStatus {
  const updateRevision = history.latest.metadata.name
  const staying = pods.filter((pod) => !isBeingDeleted(pod))
  const having = (revision: string) => staying.filter((pod) => revisionOf(pod) === revision).length
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod))
  const updatedReplicas = having(updateRevision)
  const isOver =
    set.spec.updateStrategy?.type !== 'OnDelete' && updatedReplicas === pods.length && ready.length === pods.length
  const { generation } = set.metadata
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length,
    currentReplicas: isOver ? updatedReplicas : having(currentRevision),
    updatedReplicas,
    currentRevision: isOver ? updateRevision : currentRevision,
    updateRevision,
    collisionCount: history.collisions,
    ...(before?.conditions !== undefined && { conditions: before.conditions }),
  }
}
