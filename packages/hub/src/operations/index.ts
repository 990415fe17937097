export {
  type Acceptance,
  type AcceptOptions,
  acceptCluster,
  acceptClusters,
  acceptClusterWhenHere,
} from './acceptance.js'
export { type AgentInfo, agentInfo } from './agentinfo.js'
export {
  assignClusters,
  bindClusterSet,
  createClusterSet,
  deleteClusterSet,
  unbindClusterSet,
} from './clustersets.js'
export { beginDetaching, type DetachmentWait, whenDetached } from './detachment.js'
export { type DryRunDraft, dryRunOnCluster } from './dry-run.js'
export { type HubInfo, hubInfo } from './hubinfo.js'
export { type JoinStage, type JoinWait, whenJoined } from './joining.js'
export { issueJoinToken, type RevokedTokens, revokeJoinTokens } from './jointoken.js'
export { forgetHub, type HubMembership, membershipOn, withdrawInvitation } from './leaving.js'
export type { MoveOptions } from './moving.js'
export { OperationError } from './operationerror.js'
export {
  type ClusterOverview,
  type ClusterSetOverview,
  clusterOverviews,
  clusterProblem,
  clusterSetOverviews,
} from './overview.js'
export { type PlacementRef, placedClusters } from './placements.js'
export type { RemovedObject } from './removed-objects.js'
export { createReplicaSet, deleteReplicaSet, type ReplicaSetChange, type ReplicaSetRemoval } from './replicasets.js'
export {
  stageOf,
  type WorkGoal,
  type WorkRollout,
  type WorkRolloutOptions,
  type WorkStage,
  whenWorkRolledOut,
} from './work-rollout.js'
export type { WorkChange, WorkDraft } from './workdraft.js'
export { partsOfWork } from './workparts.js'
export { problemsOf, problemText, type WorkProblem } from './workproblems.js'
export { createWork, createWorks, type DeleteWorksOptions, deleteWork, deleteWorks } from './works.js'
