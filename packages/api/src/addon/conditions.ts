/** Conditions of a ManagedClusterAddOn. */
export const AddOnCondition = {
  /** The add-on does its work. */
  Available: 'Available',
  /** The add-on does its work worse than it should. */
  Degraded: 'Degraded',
  /** It is known which configurations the add-on is to have. */
  Configured: 'Configured',
  /** Configurations are on their way. */
  Progressing: 'Progressing',
  /** The manifests are on the cluster. */
  ManifestApplied: 'ManifestApplied',
  /** The manifests are on the cluster that runs the agent. */
  HostingManifestApplied: 'HostingManifestApplied',
  /** What runs before the add-on goes has run. */
  HookManifestCompleted: 'HookManifestCompleted',
  /** The cluster that is to run the agent is one of the hub's. */
  HostingClusterValidity: 'HostingClusterValidity',
  /** The agent has been given what it may do on the hub. */
  RegistrationApplied: 'RegistrationApplied',
  /** The agent has a valid certificate. */
  CertificateRotated: 'ClusterCertificateRotated',
  /** The agent has a valid token. */
  TokenRefreshed: 'TokenRefreshed',
  /** The account is there that the token is for. */
  TokenInfrastructureReady: 'TokenInfrastructureReady',
} as const
export type AddOnCondition = (typeof AddOnCondition)[keyof typeof AddOnCondition]

/** Reasons of the conditions of a ManagedClusterAddOn. */
export const AddOnReason = {
  /** Available: there is no work of the add-on. */
  WorkNotFound: 'WorkNotFound',
  /** Available: a work of the add-on could not be applied. */
  WorkApplyFailed: 'WorkApplyFailed',
  /** Available: a work of the add-on has not been applied. */
  WorkNotApplied: 'WorkNotApplied',
  /** Available: the works of the add-on have been applied. */
  WorkApplied: 'WorkApplied',
  /** Available: nothing has been reported to tell by. */
  NoProbeResult: 'NoProbeResult',
  /** Available: what was reported is not as it should be. */
  ProbeUnavailable: 'ProbeUnavailable',
  /** Available: what was reported is as it should be. */
  ProbeAvailable: 'ProbeAvailable',
  /** Available: the agent gives signs of life. */
  LeaseUpdated: 'ManagedClusterAddOnLeaseUpdated',
  /** Available: the agent has stopped giving signs of life. */
  LeaseUpdateStopped: 'ManagedClusterAddOnLeaseUpdateStopped',
  /** Available: the agent has never given signs of life. */
  LeaseNotFound: 'ManagedClusterAddOnLeaseNotFound',
  /** Configured: the configurations are known. */
  ConfigurationsConfigured: 'ConfigurationsConfigured',
  /** Configured: the configurations have changed, and are not known yet. */
  ConfigurationsNotConfigured: 'ConfigurationsNotConfigured',
  /** Progressing: configurations are being applied. */
  Progressing: 'Progressing',
  /** Progressing: configurations have been applied. */
  Completed: 'Completed',
  /** Progressing: configurations could not be applied. */
  Failed: 'Failed',
  /** Progressing: other clusters come first. */
  WaitingForCanary: 'WaitingForCanary',
  /** Progressing: the add-on has no configurations of this kind. */
  ConfigurationUnsupported: 'ConfigurationUnsupported',
  /** Progressing: the manifests are not on the cluster yet. */
  WaitingForManifestApplied: 'WaitingForManifestApplied',
  /** Progressing: the manifests are not on the cluster yet that runs the agent. */
  WaitingForHostingManifestApplied: 'WaitingForHostingManifestApplied',
  /** ManifestApplied, HostingManifestApplied: the work could not be made. */
  ManifestWorkApplyFailed: 'ManifestWorkApplyFailed',
  /** ManifestApplied, HostingManifestApplied: the manifests are there. */
  ManifestsApplied: 'AddonManifestApplied',
  /** ManifestApplied, HostingManifestApplied: the manifests could not be applied. */
  ManifestsApplyFailed: 'AddonManifestAppliedFailed',
  /** HookManifestCompleted: it has run. */
  HookCompleted: 'HookManifestIsCompleted',
  /** HookManifestCompleted: it has not run to its end yet. */
  HookNotCompleted: 'HookManifestIsNotCompleted',
  /** HostingClusterValidity: the cluster is one of the hub's. */
  HostingClusterValid: 'HostingClusterValid',
  /** HostingClusterValidity: the hub has no such cluster. */
  HostingClusterInvalid: 'HostingClusterInvalid',
  /** RegistrationApplied: the agent needs no identity on the hub. */
  NilRegistration: 'NilRegistration',
  /** RegistrationApplied: what the agent may do could not be written down. */
  SetPermissionFailed: 'SetPermissionFailed',
  /** RegistrationApplied: what the agent may do has been written down. */
  SetPermissionApplied: 'SetPermissionApplied',
  /** RegistrationApplied: it is not known yet whom the agent identifies itself as. */
  PermissionConfigPending: 'PermissionConfigPending',
  /** CertificateRotated: there is a valid certificate. */
  CertificateUpdated: 'ClientCertificateUpdated',
  /** CertificateRotated: no new certificate could be had. */
  CertificateUpdateFailed: 'ClientCertificateUpdateFailed',
  /** TokenRefreshed: there is a valid token. */
  TokenRefreshed: 'AddonTokenRefreshed',
  /** TokenRefreshed: no new token could be had. */
  TokenCreationFailed: 'TokenCreationFailed',
  /** TokenInfrastructureReady: the account is there. */
  TokenInfrastructureReady: 'TokenInfrastructureReady',
  /** TokenInfrastructureReady: the account could not be made. */
  TokenInfrastructureApplyFailed: 'TokenInfrastructureApplyFailed',
} as const
export type AddOnReason = (typeof AddOnReason)[keyof typeof AddOnReason]
