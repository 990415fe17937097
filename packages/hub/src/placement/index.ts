export {
  answerDebugRequest,
  type DebugAnswer,
  type DebugRequest,
  type DebugResult,
  PLACEMENT_DEBUG_PATH,
} from './debug-request.js'
export { type DecisionGroup, decisionGroupsOf } from './decision-groups.js'
export { FailoverExclusions } from './failover/exclusions.js'
export { PlacementDecisions, type PlacementRef, readPlacement } from './placement-decisions.js'
export { hasDecisions, type PlacementView, selectedClusters } from './placement-view.js'
