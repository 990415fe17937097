import { Deployment, type Pod, ReplicaSet, ReplicationController, StatefulSet } from '@orrery/kinds'
import type { Informers } from '@orrery/kube'
import { controllerOf } from '@orrery/kube/write'

/** The total scale of the controllers of some pods. */
export interface Scale {
  readonly size: number
  /** Whether some pods have no controller. */
  readonly isPartial: boolean
  /** The name of a pod whose controller has no known scale. */
  readonly unknown: string | undefined
}

export function scaleOf(pods: readonly Pod[], informers: Informers): Scale {
  const sizes = new Map<string, number>()
  const managed = pods.filter((pod) => controllerOf(pod) !== undefined)
  let unknown: string | undefined
  for (const pod of managed) {
    const owner = sizeOfOwner(pod, informers)
    if (owner === undefined) unknown ??= pod.metadata.name
    else sizes.set(owner.uid, owner.size)
  }
  const size = [...sizes.values()].reduce((sum, one) => sum + one, 0)
  return { size, isPartial: managed.length < pods.length, unknown }
}

function sizeOfOwner(pod: Pod, informers: Informers): { readonly uid: string; readonly size: number } | undefined {
  const owner = controllerOf(pod)
  if (owner === undefined) return undefined
  const ref = { namespace: pod.metadata.namespace, name: owner.name }
  if (owner.kind === 'ReplicaSet') return sizeOfSet(informers.of(ReplicaSet).get(ref), informers)
  const found =
    owner.kind === 'StatefulSet'
      ? informers.of(StatefulSet).get(ref)
      : owner.kind === 'ReplicationController'
        ? informers.of(ReplicationController).get(ref)
        : undefined
  return found && { uid: found.metadata.uid, size: found.spec?.replicas ?? 1 }
}

/** During a rollout the scale is that of the Deployment, not of its ReplicaSets. */
function sizeOfSet(set: ReplicaSet | undefined, informers: Informers) {
  if (set === undefined) return undefined
  const owner = controllerOf(set)
  if (owner?.kind !== 'Deployment') return { uid: set.metadata.uid, size: set.spec.replicas ?? 1 }
  const deployment = informers.of(Deployment).get({ namespace: set.metadata.namespace, name: owner.name })
  return deployment && { uid: deployment.metadata.uid, size: deployment.spec.replicas ?? 1 }
}
