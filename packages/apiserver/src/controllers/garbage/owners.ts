import type { KubeObject, OwnerReference } from '@orrery/kinds'
import { parseGroupVersion } from '@orrery/kinds/values'
import type { Catalog } from '../../registry/catalog.js'
import { FOREGROUND_FINALIZER } from '../../registry/deletion-mark.js'
import type { Store } from '../../store/types.js'

/**
 * What has become of an owner.
 *
 * | present | is there                                                             |
 * | waiting | is there, but goes as soon as its dependents have                     |
 * | absent  | is not there, or something else has its name                          |
 * | unknown | cannot be told: the kind is not served, or cannot own this dependent  |
 */
export type OwnerState = 'present' | 'waiting' | 'absent' | 'unknown'

/** Looks an owner up where its dependent is: owners are in the same namespace, or in none. */
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

/** Whether an object is only waiting for its dependents to go. */
export function awaitsDependents({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(FOREGROUND_FINALIZER)
}
