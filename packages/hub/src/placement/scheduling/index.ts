export { affects } from './affects.js'
export { type CompiledPlacement, compilePlacement, type PlacementReads } from './compile.js'
export { explain, explainMisconfigured } from './explain.js'
export type { ClusterExplanation, PlacementExplanation, ScoreExplanation } from './explanation.js'
export { type ClusterFacts, factsOf, type TaintFacts } from './facts.js'
export {
  type DecisionLayout,
  type DesiredDecision,
  layoutDecisions,
  layoutMisconfigured,
  MAX_DECISIONS_PER_OBJECT,
} from './layout.js'
export { Misconfigured } from './misconfigured.js'
export type { ExpiredScore } from './prioritizers.js'
export type { Satisfied } from './satisfied.js'
export {
  type ClusterScore,
  type FilterResult,
  misconfiguredSchedule,
  type PrioritizerResult,
  type Schedule,
  type SelectedCluster,
  schedule,
} from './schedule.js'
export {
  type ClusterSets,
  type CurrentDecision,
  clusterSetsOf,
  MANAGED_CLUSTER_SCORE,
  type NamedScore,
  type ReportedScore,
  type SchedulingState,
} from './state.js'
export { PREFER_NO_SELECT, PREFER_NO_SELECT_SCORE } from './totals.js'
