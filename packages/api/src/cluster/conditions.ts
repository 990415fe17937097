/** Conditions of a ManagedCluster. */
export const ManagedClusterCondition = {
  /** The hub has accepted the cluster. */
  HubAccepted: 'HubAcceptedManagedCluster',
  /** The hub has denied the cluster. Reserved: HubAccepted reports denial. */
  HubDenied: 'HubDeniedManagedCluster',
  /** The agent has connected with its own certificate. */
  Joined: 'ManagedClusterJoined',
  /** The agent reports that the API server of the cluster is available. */
  Available: 'ManagedClusterConditionAvailable',
  /** The clocks of the cluster and the hub are in sync. */
  ClockSynced: 'ManagedClusterConditionClockSynced',
  /** The agent has a valid certificate. */
  CertificateRotated: 'ClusterCertificateRotated',
  /** The resources of the cluster on the hub are being deleted. */
  Deleting: 'Deleting',
  /** The cluster has been imported from Cluster API. */
  ImportSucceeded: 'ManagedClusterImportSucceeded',
} as const
export type ManagedClusterCondition = (typeof ManagedClusterCondition)[keyof typeof ManagedClusterCondition]

/** Reasons of the conditions of a ManagedCluster. */
export const ManagedClusterReason = {
  /** HubAccepted: an administrator has accepted the cluster. */
  HubAdminAccepted: 'HubClusterAdminAccepted',
  /** HubAccepted: no administrator has accepted the cluster, or one has denied it. */
  HubAdminDenied: 'HubClusterAdminDenied',
  /** HubAccepted: an error occurred. */
  Error: 'Error',
  /** Joined: the agent has connected. */
  Joined: 'ManagedClusterJoined',
  /** Available: the API server of the cluster is available. */
  Available: 'ManagedClusterAvailable',
  /** Available: the API server of the cluster is unavailable. */
  ApiServerUnavailable: 'ManagedClusterKubeAPIServerUnavailable',
  /** Available: the agent has stopped renewing its lease. */
  LeaseUpdateStopped: 'ManagedClusterLeaseUpdateStopped',
  /** Available: the agent was stopped and no other agent has taken over. Specific to Orrery. */
  AgentStopped: 'ManagedClusterAgentStopped',
  /** ClockSynced: the clocks are in sync. */
  ClockSynced: 'ManagedClusterClockSynced',
  /** ClockSynced: the clocks are out of sync. */
  ClockOutOfSync: 'ManagedClusterClockOutOfSync',
  /** CertificateRotated: the certificate is valid. */
  CertificateUpdated: 'ClientCertificateUpdated',
  /** CertificateRotated: the certificate could not be renewed. */
  CertificateUpdateFailed: 'ClientCertificateUpdateFailed',
  /** Deleting: resources of the cluster remain. */
  ResourceRemaining: 'ResourceRemaining',
  /** Deleting: no resources of the cluster remain. */
  NoResource: 'NoResource',
  /** Deleting: an error occurred. */
  DeletingError: 'DeletingError',
} as const
export type ManagedClusterReason = (typeof ManagedClusterReason)[keyof typeof ManagedClusterReason]

/** Conditions of a managed namespace in the status of a ManagedCluster. */
export const ManagedNamespaceCondition = {
  /** The namespace exists on the cluster. */
  Available: 'NamespaceAvailable',
} as const
export type ManagedNamespaceCondition = (typeof ManagedNamespaceCondition)[keyof typeof ManagedNamespaceCondition]

/** Reasons of the conditions of a managed namespace. */
export const ManagedNamespaceReason = {
  /** The namespace exists. */
  Applied: 'NamespaceApplied',
  /** The namespace could not be created. */
  ApplyFailed: 'NamespaceApplyFailed',
} as const
export type ManagedNamespaceReason = (typeof ManagedNamespaceReason)[keyof typeof ManagedNamespaceReason]

/** Conditions of a ManagedClusterSet. */
export const ClusterSetCondition = {
  /** The set has no clusters. */
  Empty: 'ClusterSetEmpty',
} as const
export type ClusterSetCondition = (typeof ClusterSetCondition)[keyof typeof ClusterSetCondition]

/** Reasons of the conditions of a ManagedClusterSet. */
export const ClusterSetReason = {
  /** The set has no clusters. */
  NoClusterMatched: 'NoClusterMatched',
  /** The set has at least one cluster. */
  ClustersSelected: 'ClustersSelected',
} as const
export type ClusterSetReason = (typeof ClusterSetReason)[keyof typeof ClusterSetReason]

/** Conditions of a ManagedClusterSetBinding. */
export const ClusterSetBindingCondition = {
  /** The set exists and is bound. */
  Bound: 'Bound',
} as const
export type ClusterSetBindingCondition = (typeof ClusterSetBindingCondition)[keyof typeof ClusterSetBindingCondition]

/** Reasons of the conditions of a ManagedClusterSetBinding. */
export const ClusterSetBindingReason = {
  /** The set is bound. */
  Bound: 'ClusterSetBound',
  /** The set does not exist. */
  NotFound: 'ClusterSetNotFound',
} as const
export type ClusterSetBindingReason = (typeof ClusterSetBindingReason)[keyof typeof ClusterSetBindingReason]

/** Conditions of a Placement. */
export const PlacementCondition = {
  /** The requested number of clusters has been selected. */
  Satisfied: 'PlacementSatisfied',
  /** The spec of the placement is invalid. */
  Misconfigured: 'PlacementMisconfigured',
} as const
export type PlacementCondition = (typeof PlacementCondition)[keyof typeof PlacementCondition]

/** Reasons of the conditions of a Placement. */
export const PlacementReason = {
  /** Satisfied: the requested number of clusters has been selected. */
  AllDecisionsScheduled: 'AllDecisionsScheduled',
  /** Satisfied: no cluster set is bound to the namespace. */
  NoManagedClusterSetBindings: 'NoManagedClusterSetBindings',
  /** Satisfied: none of the requested cluster sets is bound to the namespace. */
  NoIntersection: 'NoIntersection',
  /** Satisfied: the cluster sets have no clusters. */
  AllManagedClusterSetsEmpty: 'AllManagedClusterSetsEmpty',
  /** Satisfied: no cluster matches the predicates. */
  NoManagedClusterMatched: 'NoManagedClusterMatched',
  /** Satisfied: fewer clusters match than requested. */
  NotAllDecisionsScheduled: 'NotAllDecisionsScheduled',
  /** Misconfigured: the spec is invalid. */
  Misconfigured: 'Misconfigured',
  /** Misconfigured: the spec is valid. */
  Configured: 'Succeedconfigured',
} as const
export type PlacementReason = (typeof PlacementReason)[keyof typeof PlacementReason]

/** Reasons of the events about a Placement. */
export const PlacementEvent = {
  /** A PlacementDecision was created. */
  DecisionCreate: 'DecisionCreate',
  /** A PlacementDecision has changed. */
  DecisionUpdate: 'DecisionUpdate',
  /** A PlacementDecision was deleted. */
  DecisionDelete: 'DecisionDelete',
  /** The scores of clusters have changed. */
  ScoreUpdate: 'ScoreUpdate',
} as const
export type PlacementEvent = (typeof PlacementEvent)[keyof typeof PlacementEvent]
