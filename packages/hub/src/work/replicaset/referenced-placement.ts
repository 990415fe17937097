import type { LocalPlacementReference, ManifestWorkReplicaSet } from '@orrery/api'
import type { PlacementView } from '../../placement/index.js'

/** A placement that a replica set references, and its decisions. */
export interface ReferencedPlacement extends PlacementView {
  readonly reference: LocalPlacementReference
}

/** The references of a replica set. If it references a placement several times, the first reference counts. */
export function referencesOf({ spec }: ManifestWorkReplicaSet): LocalPlacementReference[] {
  const byName = new Map<string, LocalPlacementReference>()
  for (const reference of spec?.placementRefs ?? []) {
    if (!byName.has(reference.name)) byName.set(reference.name, reference)
  }
  return [...byName.values()]
}
