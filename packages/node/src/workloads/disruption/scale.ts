import { controllerOf, type Informers } from '@orrery/kube'
import { Deployment, type Pod, ReplicaSet, ReplicationController, StatefulSet } from '@orrery/kube/kinds'

/** How many pods the owners of these pods want in all; undefined when one of them has an owner that cannot be asked. */
export function scaleOf(pods: readonly Pod[], informers: Informers): number | undefined {
  const sizes = new Map<string, number>()
  for (const pod of pods) {
    const owner = sizeOfOwner(pod, informers)
    if (owner === undefined) return undefined
    sizes.set(owner.uid, owner.size)
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
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

/** In the middle of a rollout the Deployment knows how many there should be, and none of its ReplicaSets does. */
function sizeOfSet(set: ReplicaSet | undefined, informers: Informers) {
  if (set === undefined) return undefined
  const owner = controllerOf(set)
  if (owner?.kind !== 'Deployment') return { uid: set.metadata.uid, size: set.spec.replicas ?? 1 }
  const deployment = informers.of(Deployment).get({ namespace: set.metadata.namespace, name: owner.name })
  return deployment && { uid: deployment.metadata.uid, size: deployment.spec.replicas ?? 1 }
}
