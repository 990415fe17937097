export { addonControllers } from './addon/index.js'
export {
  type AdmissionOptions,
  type AdmissionRule,
  admissionRules,
  type Edit,
  type HubAdmission,
  type HubQueries,
  hubAdmission,
  hubQueries,
  type MutatingRule,
  type Plugin,
  type PluginRequest,
  type UserInfo,
  type ValidatingRule,
  type Write,
} from './admission/index.js'
export { cleanupControllers } from './cleanup/index.js'
export { clusterSetControllers } from './clustersets/index.js'
export type { HubContext, HubPart } from './context.js'
export { hubControllers } from './controllers.js'
export {
  DEFAULT_HUB_FEATURES,
  EMBEDDED_HUB_FEATURES,
  type HubFeatures,
  parseFeatureGates,
} from './features.js'
export { type Hub, type HubStartOptions, startHub } from './hub.js'
export { BOOTSTRAP_TOKEN_USER, ensureBootstrapToken, findBootstrapToken } from './install/bootstrap-token.js'
export { type ClusterInfo, publishClusterInfo, readClusterInfo } from './install/cluster-info.js'
export { HUB_CLUSTER_ROLE, HUB_SERVICE_ACCOUNT } from './install/hub-access.js'
export { type Installation, type InstallOptions, installHub } from './install.js'
export { DEFAULT_HUB_OPTIONS, type HubOptions, resolveHubOptions } from './options.js'
export {
  answerDebugRequest,
  type DebugAnswer,
  type DebugRequest,
  type DebugResult,
  type DecisionGroup,
  decisionGroupsOf,
  FailoverExclusions,
  hasDecisions,
  PLACEMENT_DEBUG_PATH,
  PlacementDecisions,
  type PlacementRef,
  type PlacementView,
  placementControllers,
  readPlacement,
  selectedClusters,
} from './placement/index.js'
export {
  type AgentName,
  type AgentRequest,
  agentRoleName,
  clusterNameProblem,
  REGISTRATION_ROLE,
  readAgentRequest,
  registrationBindingName,
  registrationControllers,
  WORK_ROLE,
  workBindingName,
} from './registration/index.js'
export {
  type ClusterProgress,
  type MaxFailuresBreach,
  planRollout,
  type RolloutPlan,
  type RolloutStatus,
} from './rollout/index.js'
export { scoreControllers } from './scores/index.js'
export { workControllers } from './work/index.js'
export { type ClusterValues, compileTemplate, TemplateError, ValueError, valuesOf } from './work/template/index.js'
