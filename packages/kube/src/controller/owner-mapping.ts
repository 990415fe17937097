import type { ApiObject, ObjectRef, OwnerReference, ResourceType } from '@orrery/kinds'
import { parseGroupVersion } from '@orrery/kinds/values'

/** Maps an object to the object of this kind that controls it. */
export function byController(kind: ResourceType): (object: ApiObject) => ObjectRef | undefined {
  return ({ metadata }) => {
    const owner = metadata.ownerReferences?.find((reference) => reference.controller === true)
    return owner !== undefined && refersTo(owner, kind) ? ownerRef(owner, kind, metadata.namespace) : undefined
  }
}

/** Maps an object to all its owners of this kind, whether or not they control it. */
export function byOwner(kind: ResourceType): (object: ApiObject) => ObjectRef[] {
  return ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((owner) => refersTo(owner, kind))
      .map((owner) => ownerRef(owner, kind, metadata.namespace))
}

/** The version does not matter: versions are views of the same object. */
function refersTo(owner: OwnerReference, kind: ResourceType): boolean {
  return owner.kind === kind.kind && parseGroupVersion(owner.apiVersion)?.group === kind.group
}

/** An owner is in the namespace of its dependent, or cluster-scoped. */
function ownerRef({ name }: OwnerReference, { scope }: ResourceType, namespace: string | undefined): ObjectRef {
  return scope === 'Cluster' ? { name } : { namespace, name }
}
