import { DEFAULT_WORK_FEATURES, type WorkFeatures } from './work/features.js'

/** Which optional parts of the agent are on, by the names that Open Cluster Management gives its feature gates. */
export interface AgentFeatures extends WorkFeatures {
  /** ClusterClaims of the cluster are reported to the hub. */
  readonly ClusterClaim: boolean
  /** ClusterProperties of the cluster are reported to the hub, and go before claims of the same name. */
  readonly ClusterProperty: boolean
  /** There are several hubs: when one is lost, the agent joins another. */
  readonly MultipleHubs: boolean
}

/** Open Cluster Management's own defaults. */
export const DEFAULT_AGENT_FEATURES: AgentFeatures = {
  ...DEFAULT_WORK_FEATURES,
  ClusterClaim: true,
  ClusterProperty: false,
  MultipleHubs: false,
}
