import type { LocalPlacementReference } from '@orrery/api'
import type { PlacementView } from '../../placement/index.js'

/** A placement that a replica set references, and its decisions. */
export interface ReferencedPlacement extends PlacementView {
  readonly reference: LocalPlacementReference
}
