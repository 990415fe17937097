import { parseGates } from '@orrery/api'

/** The feature gates of a hub, by their names in Open Cluster Management. */
export interface HubFeatures {
  /** The cluster sets `default` and `global` exist, and clusters without a set are in `default`. */
  readonly DefaultClusterSet: boolean
  /** Clusters of `autoApprovedUsers` are accepted automatically. */
  readonly ManagedClusterAutoApproval: boolean
  /** The add-ons and works of a detached cluster are deleted. */
  readonly ResourceCleanup: boolean
  /** Works without an executor require the permission to use the agent's service account. */
  readonly NilExecutorValidating: boolean
  /** Replica sets keep a work on every cluster of a placement. */
  readonly ManifestWorkReplicaSet: boolean
  /** Complete works are deleted after `ttlSecondsAfterFinished`. */
  readonly CleanUpCompletedManifestWork: boolean
  /** `/debug/placements/` explains the scheduling of placements to users who may read them. */
  readonly PlacementDebugServer: boolean
  /**
   * Placements select clusters. Specific to Orrery: Open Cluster Management has a controller of its own for this, and only one
   * of the two may run on a hub.
   */
  readonly PlacementScheduling: boolean
  /** Add-ons are installed, configured and rolled out. Off, another addon-manager does it: only one may run on a hub. */
  readonly AddonManagement: boolean
  /** The hub calculates scores of clusters: see `scoreCalculators`. Specific to Orrery. */
  readonly ClusterScores: boolean
}

/** Open Cluster Management's own defaults. */
export const DEFAULT_HUB_FEATURES: HubFeatures = {
  DefaultClusterSet: true,
  ManagedClusterAutoApproval: false,
  ResourceCleanup: true,
  NilExecutorValidating: false,
  ManifestWorkReplicaSet: false,
  CleanUpCompletedManifestWork: false,
  PlacementDebugServer: false,
  PlacementScheduling: true,
  AddonManagement: true,
  ClusterScores: false,
}

/**
 * The defaults of an embedded hub. The gates for works cost nothing while no object uses them. ClusterScores writes one score for
 * each cluster every few minutes.
 */
export const EMBEDDED_HUB_FEATURES: HubFeatures = {
  ...DEFAULT_HUB_FEATURES,
  ManifestWorkReplicaSet: true,
  CleanUpCompletedManifestWork: true,
  ClusterScores: true,
}

/** Gates of Open Cluster Management's hub that are fixed here: they can only be set to this value. */
const FIXED_GATES: Readonly<Record<string, boolean>> = {
  V1beta1CSRAPICompatibility: false,
  ClusterProfile: false,
  ClusterImporter: false,
  CloudEventsDrivers: false,
}

/** Parses `A=true,B=false`, the format of `--feature-gates`, with defaults. */
export function parseFeatureGates(text: string, defaults: HubFeatures = DEFAULT_HUB_FEATURES): HubFeatures {
  return parseGates<keyof HubFeatures>(text, { ...defaults }, FIXED_GATES)
}
