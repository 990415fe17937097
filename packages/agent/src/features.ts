import { parseGates } from '@orrery/api'
import { DEFAULT_WORK_FEATURES, type WorkFeatures } from './work/features.js'

/** Which optional parts of the agent are on, by the names that Open Cluster Management gives its feature gates. */
export interface AgentFeatures extends WorkFeatures {
  /** ClusterClaims of the cluster are reported to the hub. */
  readonly ClusterClaim: boolean
  /** ClusterProperties of the cluster are reported to the hub. They take precedence over claims of the same name. */
  readonly ClusterProperty: boolean
  /** The agent knows several hubs: if one is lost, it joins another. */
  readonly MultipleHubs: boolean
  /** The agent writes scores of the cluster to the hub, if the hub serves ManagedClusterScores. Specific to Orrery. */
  readonly ClusterScores: boolean
}

/** Open Cluster Management's own defaults. */
export const DEFAULT_AGENT_FEATURES: AgentFeatures = {
  ...DEFAULT_WORK_FEATURES,
  ClusterClaim: true,
  ClusterProperty: false,
  MultipleHubs: false,
  ClusterScores: false,
}

/** The defaults of the agent of an embedded cluster, which has few pods and small objects. */
export const EMBEDDED_AGENT_FEATURES: AgentFeatures = {
  ...DEFAULT_AGENT_FEATURES,
  ClusterScores: true,
  RawFeedbackJsonString: true,
}

/** Gates of Open Cluster Management's agents that this one does not implement: they accept only their fixed value. */
const FIXED_GATES: Readonly<Record<string, boolean>> = {
  AddonManagement: true,
  V1beta1CSRAPICompatibility: false,
  ExecutorValidatingCaches: false,
}

/** Reads `A=true,B=false`, the form of `--feature-gates`, on top of the defaults. */
export function parseAgentFeatureGates(text: string, defaults: AgentFeatures = DEFAULT_AGENT_FEATURES): AgentFeatures {
  return parseGates<keyof AgentFeatures>(text, { ...defaults }, FIXED_GATES)
}
