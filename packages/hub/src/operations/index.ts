export type { PlacementRef } from '../placement/index.js'
export type { ClusterExplanation } from '../placement/scheduling/index.js'
export { replicaSetOf } from '../work/replicaset/names.js'
export {
  type Acceptance,
  type AcceptOptions,
  acceptCluster,
  acceptClusters,
  acceptClusterWhenHere,
} from './acceptance.js'
export { type AddOnProblem, addOnProblems, isLasting, problemsWithWorks } from './add-on-problems.js'
export { type AddOnReport, addOnReports, type ReportStrategy } from './add-on-reports.js'
export {
  type AddOnChange,
  type AddOnChoice,
  type AddOnFilter,
  type AddOnOverview,
  addOnOverviews,
  disableAddOns,
  enableAddOns,
} from './add-ons.js'
export {
  assignClusters,
  bindClusterSet,
  createClusterSet,
  deleteClusterSet,
  unbindClusterSet,
} from './cluster-sets.js'
export { beginDetaching, type DetachmentWait, whenDetached } from './detachment.js'
export { type DryRunDraft, dryRunOnCluster } from './dry-run.js'
export { type HubInfo, hubInfo } from './hub-info.js'
export { issueJoinToken, type RevokedTokens, revokeJoinTokens } from './join-token.js'
export { type JoinStage, type JoinWait, whenJoined } from './joining.js'
export type { MoveOptions } from './moving.js'
export { clusterNotFound, clusterSetNotFound, placementNotFound } from './not-found.js'
export { OperationError } from './operation-error.js'
export {
  type ClusterOverview,
  type ClusterSetOverview,
  clusterOverviews,
  clusterProblem,
  clusterSetOverviews,
} from './overview.js'
export { type CreatePlacementOptions, createPlacement, deletePlacement } from './placement-creation.js'
export { type PlacementDetails, placementDetails } from './placement-details.js'
export { type PlacementDraft, type PredicateDraft, placementFrom } from './placement-draft.js'
export { explainPlacement, explainWhatIf, type PlacementExplanation } from './placement-explanation.js'
export {
  type PlacementFilter,
  type PlacementOverview,
  placementOverviews,
} from './placement-overview.js'
export { placedClusters } from './placements.js'
export type { RemovedObject } from './removed-objects.js'
export { createReplicaSet, deleteReplicaSet, type ReplicaSetChange, type ReplicaSetRemoval } from './replica-sets.js'
export { type ScoreFilter, type ScoreOverview, scoreOverviews } from './scores.js'
export { sealForCluster } from './sealing.js'
export type { WorkChange, WorkDraft } from './work-draft.js'
export {
  type CrashedContainer,
  logsCommand,
  type ProblemOptions,
  problemsOf,
  problemText,
  type WorkProblem,
} from './work-problems.js'
export {
  stageOf,
  type WorkGoal,
  type WorkRollout,
  type WorkRolloutOptions,
  type WorkStage,
  whenWorkRolledOut,
} from './work-rollout.js'
export { partsOfWork } from './workparts.js'
export { createWork, createWorks, type DeleteWorksOptions, deleteWork, deleteWorks } from './works.js'
