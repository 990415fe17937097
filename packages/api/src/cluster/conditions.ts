/** Conditions of a ManagedCluster. */
export const ManagedClusterCondition = {
  /** An administrator of the hub has let the cluster in. */
  HubAccepted: 'HubAcceptedManagedCluster',
  /** An administrator of the hub has refused the cluster. Reserved: refusal is said by HubAccepted. */
  HubDenied: 'HubDeniedManagedCluster',
  /** The agent has come with its own identity. */
  Joined: 'ManagedClusterJoined',
  /** The API server of the cluster answers, and the agent says so. */
  Available: 'ManagedClusterConditionAvailable',
  /** The clocks of cluster and hub agree. */
  ClockSynced: 'ManagedClusterConditionClockSynced',
  /** The agent has a valid certificate. */
  CertificateRotated: 'ClusterCertificateRotated',
  /** What the cluster had on the hub is going. */
  Deleting: 'Deleting',
  /** The cluster has been imported from Cluster API. */
  ImportSucceeded: 'ManagedClusterImportSucceeded',
} as const
export type ManagedClusterCondition = (typeof ManagedClusterCondition)[keyof typeof ManagedClusterCondition]

/** Reasons of the conditions of a ManagedCluster. */
export const ManagedClusterReason = {
  /** HubAccepted: an administrator has let the cluster in. */
  HubAdminAccepted: 'HubClusterAdminAccepted',
  /** HubAccepted: an administrator has not let the cluster in, or has thrown it out. */
  HubAdminDenied: 'HubClusterAdminDenied',
  /** HubAccepted: something went wrong. */
  Error: 'Error',
  /** Joined: the agent is there. */
  Joined: 'ManagedClusterJoined',
  /** Available: the API server of the cluster answers. */
  Available: 'ManagedClusterAvailable',
  /** Available: the API server of the cluster does not answer. */
  ApiServerUnavailable: 'ManagedClusterKubeAPIServerUnavailable',
  /** Available: the agent gives no sign of life. */
  LeaseUpdateStopped: 'ManagedClusterLeaseUpdateStopped',
  /** Available: somebody has stopped the agent, and no other has taken its place. Orrery's own. */
  AgentStopped: 'ManagedClusterAgentStopped',
  /** ClockSynced: the clocks agree. */
  ClockSynced: 'ManagedClusterClockSynced',
  /** ClockSynced: the clocks do not agree. */
  ClockOutOfSync: 'ManagedClusterClockOutOfSync',
  /** CertificateRotated: there is a valid certificate. */
  CertificateUpdated: 'ClientCertificateUpdated',
  /** CertificateRotated: no new certificate could be had. */
  CertificateUpdateFailed: 'ClientCertificateUpdateFailed',
  /** Deleting: something of the cluster is still there. */
  ResourceRemaining: 'ResourceRemaining',
  /** Deleting: nothing of the cluster is there any more. */
  NoResource: 'NoResource',
  /** Deleting: something went wrong. */
  DeletingError: 'DeletingError',
} as const
export type ManagedClusterReason = (typeof ManagedClusterReason)[keyof typeof ManagedClusterReason]

/** Conditions of a managed namespace in the status of a ManagedCluster. */
export const ManagedNamespaceCondition = {
  /** The namespace is on the cluster. */
  Available: 'NamespaceAvailable',
} as const
export type ManagedNamespaceCondition = (typeof ManagedNamespaceCondition)[keyof typeof ManagedNamespaceCondition]

/** Reasons of the conditions of a managed namespace. */
export const ManagedNamespaceReason = {
  /** The namespace is there. */
  Applied: 'NamespaceApplied',
  /** The namespace could not be made. */
  ApplyFailed: 'NamespaceApplyFailed',
} as const
export type ManagedNamespaceReason = (typeof ManagedNamespaceReason)[keyof typeof ManagedNamespaceReason]

/** Conditions of a ManagedClusterSet. */
export const ClusterSetCondition = {
  /** No cluster is in the set. */
  Empty: 'ClusterSetEmpty',
} as const
export type ClusterSetCondition = (typeof ClusterSetCondition)[keyof typeof ClusterSetCondition]

/** Reasons of the conditions of a ManagedClusterSet. */
export const ClusterSetReason = {
  /** No cluster is in the set. */
  NoClusterMatched: 'NoClusterMatched',
  /** Some cluster is in the set. */
  ClustersSelected: 'ClustersSelected',
} as const
export type ClusterSetReason = (typeof ClusterSetReason)[keyof typeof ClusterSetReason]

/** Conditions of a ManagedClusterSetBinding. */
export const ClusterSetBindingCondition = {
  /** The set is there, and bound. */
  Bound: 'Bound',
} as const
export type ClusterSetBindingCondition = (typeof ClusterSetBindingCondition)[keyof typeof ClusterSetBindingCondition]

/** Reasons of the conditions of a ManagedClusterSetBinding. */
export const ClusterSetBindingReason = {
  /** The set is bound. */
  Bound: 'ClusterSetBound',
  /** There is no such set. */
  NotFound: 'ClusterSetNotFound',
} as const
export type ClusterSetBindingReason = (typeof ClusterSetBindingReason)[keyof typeof ClusterSetBindingReason]

/** Conditions of a Placement. */
export const PlacementCondition = {
  /** As many clusters have been chosen as were asked for. */
  Satisfied: 'PlacementSatisfied',
  /** The placement asks for something impossible. */
  Misconfigured: 'PlacementMisconfigured',
} as const
export type PlacementCondition = (typeof PlacementCondition)[keyof typeof PlacementCondition]

/** Reasons of the conditions of a Placement. */
export const PlacementReason = {
  /** Satisfied: as many clusters have been chosen as were asked for. */
  AllDecisionsScheduled: 'AllDecisionsScheduled',
  /** Satisfied: no set is bound to the namespace. */
  NoManagedClusterSetBindings: 'NoManagedClusterSetBindings',
  /** Satisfied: none of the sets asked for is bound to the namespace. */
  NoIntersection: 'NoIntersection',
  /** Satisfied: there is no cluster in the sets. */
  AllManagedClusterSetsEmpty: 'AllManagedClusterSetsEmpty',
  /** Satisfied: no cluster of the sets qualifies. */
  NoManagedClusterMatched: 'NoManagedClusterMatched',
  /** Satisfied: fewer clusters qualify than were asked for. */
  NotAllDecisionsScheduled: 'NotAllDecisionsScheduled',
  /** Misconfigured: the placement asks for something impossible. */
  Misconfigured: 'Misconfigured',
  /** Misconfigured: the placement is fine. */
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
