/** Conditions of a ManagedClusterAddOn. */
export const AddOnCondition = {
  /** The add-on is available. */
  Available: 'Available',
  /** The add-on is degraded. */
  Degraded: 'Degraded',
  /** The configurations of the add-on are determined. */
  Configured: 'Configured',
  /** Configurations are being applied. */
  Progressing: 'Progressing',
  /** The manifests are applied on the managed cluster. */
  ManifestApplied: 'ManifestApplied',
  /** The manifests are applied on the hosting cluster. */
  HostingManifestApplied: 'HostingManifestApplied',
  /** The pre-delete hooks have completed. */
  HookManifestCompleted: 'HookManifestCompleted',
  /** The hosting cluster is a ManagedCluster of the hub. */
  HostingClusterValidity: 'HostingClusterValidity',
  /** The permissions of the agent on the hub are applied. */
  RegistrationApplied: 'RegistrationApplied',
  /** The agent has a valid certificate. */
  CertificateRotated: 'ClusterCertificateRotated',
  /** The agent has a valid token. */
  TokenRefreshed: 'TokenRefreshed',
  /** The service account of the token exists. */
  TokenInfrastructureReady: 'TokenInfrastructureReady',
} as const
export type AddOnCondition = (typeof AddOnCondition)[keyof typeof AddOnCondition]

/** Reasons of the conditions of a ManagedClusterAddOn. */
export const AddOnReason = {
  /** Available: the add-on has no work. */
  WorkNotFound: 'WorkNotFound',
  /** Available: a work of the add-on could not be applied. */
  WorkApplyFailed: 'WorkApplyFailed',
  /** Available: a work of the add-on has not been applied. */
  WorkNotApplied: 'WorkNotApplied',
  /** Available: the works of the add-on have been applied. */
  WorkApplied: 'WorkApplied',
  /** Available: no probe result was reported. */
  NoProbeResult: 'NoProbeResult',
  /** Available: the probe failed. */
  ProbeUnavailable: 'ProbeUnavailable',
  /** Available: the probe succeeded. */
  ProbeAvailable: 'ProbeAvailable',
  /** Available: the agent renews its lease. */
  LeaseUpdated: 'ManagedClusterAddOnLeaseUpdated',
  /** Available: the agent has stopped renewing its lease. */
  LeaseUpdateStopped: 'ManagedClusterAddOnLeaseUpdateStopped',
  /** Degraded: the agent of the add-on reports a problem. Specific to Orrery. */
  AgentProblem: 'AgentReportedProblem',
  /** Degraded: the agent of the add-on no longer reports a problem. Specific to Orrery. */
  AgentWorks: 'AgentReportedNoProblem',
  /** Available: the agent has no lease. */
  LeaseNotFound: 'ManagedClusterAddOnLeaseNotFound',
  /** Configured: the configurations are determined. */
  ConfigurationsConfigured: 'ConfigurationsConfigured',
  /** Configured: the configurations have changed and are not determined yet. */
  ConfigurationsNotConfigured: 'ConfigurationsNotConfigured',
  /** Progressing: configurations are being applied. */
  Progressing: 'Progressing',
  /** Progressing: configurations have been applied. */
  Completed: 'Completed',
  /** Progressing: configurations could not be applied. */
  Failed: 'Failed',
  /** Progressing: waiting for other clusters of the rollout. */
  WaitingForCanary: 'WaitingForCanary',
  /** Progressing: the add-on does not support this type of configuration. */
  ConfigurationUnsupported: 'ConfigurationUnsupported',
  /** Progressing: the manifests are not applied on the managed cluster yet. */
  WaitingForManifestApplied: 'WaitingForManifestApplied',
  /** Progressing: the manifests are not applied on the hosting cluster yet. */
  WaitingForHostingManifestApplied: 'WaitingForHostingManifestApplied',
  /** ManifestApplied, HostingManifestApplied: the work could not be created. */
  ManifestWorkApplyFailed: 'ManifestWorkApplyFailed',
  /** ManifestApplied, HostingManifestApplied: the manifests are applied. */
  ManifestsApplied: 'AddonManifestApplied',
  /** ManifestApplied, HostingManifestApplied: the manifests could not be applied. */
  ManifestsApplyFailed: 'AddonManifestAppliedFailed',
  /** HookManifestCompleted: the hooks have completed. */
  HookCompleted: 'HookManifestIsCompleted',
  /** HookManifestCompleted: the hooks have not completed yet. */
  HookNotCompleted: 'HookManifestIsNotCompleted',
  /** HookManifestCompleted: a hook has failed. */
  HookFailed: 'HookManifestFailed',
  /** HookManifestCompleted: the hooks have not completed within their time limit. */
  HookTimedOut: 'HookManifestTimedOut',
  /** HostingClusterValidity: the hosting cluster is a ManagedCluster of the hub. */
  HostingClusterValid: 'HostingClusterValid',
  /** HostingClusterValidity: the hosting cluster does not exist. */
  HostingClusterInvalid: 'HostingClusterInvalid',
  /** RegistrationApplied: the agent needs no registration. */
  NilRegistration: 'NilRegistration',
  /** RegistrationApplied: the permissions could not be applied. */
  SetPermissionFailed: 'SetPermissionFailed',
  /** RegistrationApplied: the permissions are applied. */
  SetPermissionApplied: 'SetPermissionApplied',
  /** RegistrationApplied: the subject of the agent is not determined yet. */
  PermissionConfigPending: 'PermissionConfigPending',
  /** CertificateRotated: the certificate is valid. */
  CertificateUpdated: 'ClientCertificateUpdated',
  /** CertificateRotated: the certificate could not be renewed. */
  CertificateUpdateFailed: 'ClientCertificateUpdateFailed',
  /** TokenRefreshed: the token is valid. */
  TokenRefreshed: 'AddonTokenRefreshed',
  /** TokenRefreshed: the token could not be renewed. */
  TokenCreationFailed: 'TokenCreationFailed',
  /** TokenInfrastructureReady: the service account exists. */
  TokenInfrastructureReady: 'TokenInfrastructureReady',
  /** TokenInfrastructureReady: the service account could not be created. */
  TokenInfrastructureApplyFailed: 'TokenInfrastructureApplyFailed',
} as const
export type AddOnReason = (typeof AddOnReason)[keyof typeof AddOnReason]
