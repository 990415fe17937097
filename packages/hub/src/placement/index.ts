import type { ControllerSpec } from '@orrery/kube'
import type { HubContext } from '../context.js'
import { placementScheduling } from './controller.js'
import { placementFailover } from './failover/controller.js'

export {
  answerDebugRequest,
  type DebugAnswer,
  type DebugRequest,
  type DebugResult,
  PLACEMENT_DEBUG_PATH,
} from './debug-request.js'
export { type DecisionGroup, decisionGroupsOf } from './decision-groups.js'
export { FailoverExclusions } from './failover-exclusions.js'
export { PlacementDecisions, type PlacementRef, readPlacement } from './placement-decisions.js'
export { hasDecisions, type PlacementView, selectedClusters } from './placement-view.js'

/** The part for placements, unless the controller of Open Cluster Management schedules them. */
export function placementControllers(context: HubContext): ControllerSpec[] {
  return context.features.PlacementScheduling ? [placementScheduling(context), placementFailover(context)] : []
}
