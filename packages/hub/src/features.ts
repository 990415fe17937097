/** Which optional parts of the hub are on, by the names that Open Cluster Management gives its feature gates. */
export interface HubFeatures {
  readonly DefaultClusterSet: boolean
  readonly ManagedClusterAutoApproval: boolean
  readonly ResourceCleanup: boolean
  readonly NilExecutorValidating: boolean
  readonly ManifestWorkReplicaSet: boolean
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
