import type { Deployment, ReplicaSet } from '@orrery/kinds'
import { isBeingDeleted } from '@orrery/kube'
import { byRevision, type Rollout, sizeOf } from './rollout.js'

/** Returns the oldest empty ReplicaSets beyond `revisionHistoryLimit`. */
export function surplusHistory({ spec }: Deployment, { former }: Rollout): ReplicaSet[] {
  const kept = spec.revisionHistoryLimit ?? 10
  const alive = former.filter((set) => !isBeingDeleted(set)).sort(byRevision)
  return alive.slice(0, Math.max(0, alive.length - kept)).filter(isEmpty)
}

function isEmpty(set: ReplicaSet): boolean {
  const { replicas = 0, observedGeneration = 0 } = set.status ?? {}
  return sizeOf(set) === 0 && replicas === 0 && observedGeneration >= (set.metadata.generation ?? 0)
}
