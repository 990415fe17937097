import { type OwnerReference, type PersistentVolumeClaim, Pod, StatefulSet } from '@orrery/kinds'
import { ownerReferenceTo } from '@orrery/kube'
import { semanticEqual } from '@orrery/kube/write'

/**
 * Returns the owner references of a claim according to `persistentVolumeClaimRetentionPolicy`: the StatefulSet, the pod
 * if it is being removed by scaling down, or none. A claim with another controller is left alone. Returns undefined
 * if nothing changes.
 */
export function claimOwners(
  { metadata }: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
  isSurplus: boolean,
): readonly OwnerReference[] | undefined {
  const before = metadata.ownerReferences ?? []
  const candidates = [
    ownerReferenceTo(set, StatefulSet, { controller: true }),
    ownerReferenceTo(pod, Pod, { controller: true }),
  ] as const
  const namesake = (reference: OwnerReference) =>
    candidates.find(
      ({ apiVersion, kind, name }) =>
        reference.apiVersion === apiVersion && reference.kind === kind && reference.name === name,
    )
  const isFormer = (reference: OwnerReference) => (namesake(reference)?.uid ?? reference.uid) !== reference.uid
  // The claim belongs to a deleted StatefulSet or pod and will be garbage-collected.
  if (before.some(isFormer)) return undefined
  const others = before.filter((reference) => namesake(reference) === undefined)
  const owner = others.some(({ controller }) => controller === true)
    ? undefined
    : ownerAmong(candidates, set, isSurplus)
  const after = owner === undefined ? others : [...others, owner]
  return semanticEqual(after, before) ? undefined : after
}

function ownerAmong(
  [set, pod]: readonly [OwnerReference, OwnerReference],
  { spec }: StatefulSet,
  isSurplus: boolean,
): OwnerReference | undefined {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = spec.persistentVolumeClaimRetentionPolicy ?? {}
  if (whenScaled === 'Delete' && isSurplus) return pod
  return whenDeleted === 'Delete' ? set : undefined
}
