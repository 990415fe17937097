import type { KubeObject, OwnerReference } from '@orrery/kinds'
import { parseGroupVersion } from '@orrery/kinds/values'
import type { Catalog } from '../../registry/catalog.js'
import { FOREGROUND_FINALIZER } from '../../registry/deletion-mark.js'
import type { Store } from '../../store/types.js'

/**
 * The state of an owner.
 *
 * | present | exists                                                                  |
 * | waiting | exists, but is deleted as soon as its dependents are                     |
 * | absent  | does not exist, or another object has its name                           |
 * | unknown | undecidable: the kind is not served, or cannot own this dependent        |
 */
export type OwnerState = 'present' | 'waiting' | 'absent' | 'unknown'

/** Looks up an owner: owners are in the namespace of their dependent, or cluster-scoped. */
export function ownerState(catalog: Catalog, store: Store, owner: OwnerReference, namespace: string): OwnerState {
  const groupVersion = parseGroupVersion(owner.apiVersion)
  const logic = groupVersion && catalog.ofKind(groupVersion.group, owner.kind, groupVersion.version)
  if (logic === undefined) return 'unknown'
  const { namespaced, storage } = logic.resource
  if (namespaced && namespace === '') return 'unknown'
  const object = store.get(storage.bucket, namespaced ? namespace : '', owner.name)?.object()
  if (object === undefined || object.metadata.uid !== owner.uid) return 'absent'
  return awaitsDependents(object) ? 'waiting' : 'present'
}

/** Returns whether an object only waits for its dependents to be deleted. */
export function awaitsDependents({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(FOREGROUND_FINALIZER)
}
