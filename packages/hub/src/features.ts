import { parseGates } from '@orrery/api'

/** Which optional parts of the hub are on, by the names that Open Cluster Management gives its feature gates. */
export interface HubFeatures {
  /** The sets `default` and `global` exist, and clusters without a set are in `default`. */
  readonly DefaultClusterSet: boolean
  /** Some users' clusters are let in without being asked for. */
  readonly ManagedClusterAutoApproval: boolean
  /** A cluster that is detached takes its add-ons and works along. */
  readonly ResourceCleanup: boolean
  /** Works without an executor need the right to act as the agent's own account. */
  readonly NilExecutorValidating: boolean
  /** One set of manifests is handed to all clusters of a placement. */
  readonly ManifestWorkReplicaSet: boolean
  /** Works that are complete go after a while, if they say so. */
  readonly CleanUpCompletedManifestWork: boolean
}

/** Open Cluster Management's own defaults. */
export const DEFAULT_HUB_FEATURES: HubFeatures = {
  DefaultClusterSet: true,
  ManagedClusterAutoApproval: false,
  ResourceCleanup: true,
  NilExecutorValidating: false,
  ManifestWorkReplicaSet: false,
  CleanUpCompletedManifestWork: false,
}

/** What an embedded hub starts with: both parts cost nothing while no object asks for them, and people expect them. */
export const EMBEDDED_HUB_FEATURES: HubFeatures = {
  ...DEFAULT_HUB_FEATURES,
  ManifestWorkReplicaSet: true,
  CleanUpCompletedManifestWork: true,
}

/** Gates that Open Cluster Management's hub has and this one has not: they can only be set to what they are. */
const FIXED_GATES: Readonly<Record<string, boolean>> = {
  V1beta1CSRAPICompatibility: false,
  ClusterProfile: false,
  ClusterImporter: false,
  AddonManagement: true,
  PlacementDebugServer: false,
  CloudEventsDrivers: false,
}

/** Reads `A=true,B=false`, the form of `--feature-gates`, on top of some defaults. */
export function parseFeatureGates(text: string, defaults: HubFeatures = DEFAULT_HUB_FEATURES): HubFeatures {
  return parseGates<keyof HubFeatures>(text, { ...defaults }, FIXED_GATES)
}
