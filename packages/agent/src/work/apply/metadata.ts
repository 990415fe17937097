import type { KubeObject, ObjectMeta, OwnerReference, StoredMeta } from '@orrery/kinds'
import type { DynamicObject } from '@orrery/kube/discovery'
import { withOwner, withoutOwner } from '@orrery/kube/write'

type Keys = Record<string, string>

const NO_KEYS: Keys = {}
const NO_OWNERS: readonly OwnerReference[] = []

/**
 * Merges the keys of a manifest into existing ones: `key-` removes `key`. Returns the same object if nothing changes.
 */
export function mergeKeys(known: Keys, wanted: Keys | undefined): Keys {
  let merged = known
  for (const [key, value] of Object.entries(wanted ?? {})) {
    if (key.endsWith('-')) {
      const { [key.slice(0, -1)]: gone, ...rest } = merged
      if (gone !== undefined) merged = rest
    } else if (!Object.hasOwn(merged, key) || merged[key] !== value) {
      merged = { ...merged, [key]: value }
    }
  }
  return merged
}

/** The owner references with this owner if the work owns the object, and without it otherwise. */
export function mergeOwner(
  known: readonly OwnerReference[],
  owner: OwnerReference,
  isOwned: boolean,
): readonly OwnerReference[] {
  return isOwned ? withOwner(known, owner) : withoutOwner(known, owner)
}

/** A new object to create: with its owner, and without the keys that the manifest removes. */
export function newObject(desired: KubeObject, owner: OwnerReference, isOwned: boolean): KubeObject {
  const { labels, annotations, ownerReferences: _, ...rest } = desired.metadata
  const metadata: ObjectMeta = {
    ...rest,
    ...(labels !== undefined && { labels: mergeKeys(NO_KEYS, labels) }),
    ...(annotations !== undefined && { annotations: mergeKeys(NO_KEYS, annotations) }),
    ...(isOwned && { ownerReferences: [owner] }),
  }
  return { ...desired, metadata }
}

/** The metadata of an existing object with the manifest's changes; undefined if nothing changes. */
export function changedMetadata(
  current: DynamicObject,
  desired: KubeObject,
  owner: OwnerReference,
  isOwned: boolean,
): StoredMeta | undefined {
  const known = { labels: NO_KEYS, annotations: NO_KEYS, ownerReferences: NO_OWNERS, ...current.metadata }
  const labels = mergeKeys(known.labels, desired.metadata.labels)
  const annotations = mergeKeys(known.annotations, desired.metadata.annotations)
  const ownerReferences = mergeOwner(known.ownerReferences, owner, isOwned)
  const isSame =
    labels === known.labels && annotations === known.annotations && ownerReferences === known.ownerReferences
  return isSame ? undefined : { ...current.metadata, labels, annotations, ownerReferences }
}
