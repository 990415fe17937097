/** The namespace of the agent on a managed cluster. */
export const AGENT_NAMESPACE = 'open-cluster-management-agent'

/** The default namespace of add-ons on a managed cluster. */
export const ADDON_NAMESPACE = 'open-cluster-management-agent-addon'

/** The namespace of the hub controllers. */
export const HUB_NAMESPACE = 'open-cluster-management-hub'

/** The namespace of the operator on a hub, with the service account for bootstrapping. */
export const OPERATOR_NAMESPACE = 'open-cluster-management'

/** The Secret with the bootstrap kubeconfig of an agent. */
export const BOOTSTRAP_SECRET = 'bootstrap-hub-kubeconfig'

/** The key of the bootstrap Secret with the requested lifetime of certificates. Specific to Orrery. */
export const CERTIFICATE_SECONDS_KEY = 'client-cert-expiration-seconds'

/** The Secret with the kubeconfig and the client certificate of an agent. */
export const HUB_KUBECONFIG_SECRET = 'hub-kubeconfig-secret'

/** The Secret with the private key of a pending certificate request. Specific to Orrery. */
export const HUB_KUBECONFIG_REQUEST_SECRET = 'hub-kubeconfig-request'

/** The Lease for leader election of the hub controllers. Specific to Orrery. */
export const HUB_LEADER_LEASE = 'orrery-hub'

/** The Lease for leader election of the agents of one cluster. Specific to Orrery. */
export const AGENT_LEADER_LEASE = 'orrery-agent'

/** The keys of the hub kubeconfig Secret. */
export const HubKubeconfigKey = {
  /** The certificate. */
  Certificate: 'tls.crt',
  /** The private key of the certificate. */
  PrivateKey: 'tls.key',
  /** The kubeconfig that uses both. */
  Kubeconfig: 'kubeconfig',
  /** The name of the cluster. */
  ClusterName: 'cluster-name',
  /** The name of the agent. */
  AgentName: 'agent-name',
} as const
export type HubKubeconfigKey = (typeof HubKubeconfigKey)[keyof typeof HubKubeconfigKey]

/**
 * Annotation of the hub kubeconfig Secret: the resourceVersion of the hub when it registered the cluster. Specific to
 * Orrery.
 */
export const CLUSTER_VERSION_ANNOTATION = 'agent.open-cluster-management.io/cluster-version'

/**
 * Annotation of the hub kubeconfig Secret: the uid of the ManagedCluster that the certificate was requested for.
 * Specific to Orrery.
 */
export const CLUSTER_UID_ANNOTATION = 'agent.open-cluster-management.io/cluster-uid'

/**
 * Annotation of a cluster's Lease: the agent was stopped after the renewal at `renewTime`. A JSON object with
 * `renewTime` and `handoverSeconds`, the time that another agent has to renew the Lease before the hub reports the
 * cluster as stopped. It has no effect once the Lease has another `renewTime`. Specific to Orrery.
 */
export const AGENT_STOPPED_ANNOTATION = 'agent.open-cluster-management.io/stopped'

/**
 * Annotation of a ManagedCluster: the user who created it, recorded by admission. The hub automatically approves a
 * first certificate only for this user. Changing it requires `update` on `managedclusters/accept`. Specific to Orrery.
 */
export const CREATED_BY_ANNOTATION = 'registration.open-cluster-management.io/created-by'

/** Annotation of the bindings of an agent: the uid of its ManagedCluster. Specific to Orrery. */
export const REGISTRATION_ANNOTATION = 'registration.open-cluster-management.io/cluster-uid'

/** Annotation of the bindings of an agent: when its first certificate was approved. Specific to Orrery. */
export const APPROVED_ON_ANNOTATION = 'registration.open-cluster-management.io/approved-on'

/** Annotation of the namespace of a cluster: the agents that were registered under its name. Specific to Orrery. */
export const REGISTERED_AGENTS_ANNOTATION = 'registration.open-cluster-management.io/registered-agents'

/** The Secret with the import configuration of a cluster. */
export const CLUSTER_IMPORT_SECRET = 'cluster-import-config'

/** Prefix of the user and group names of agents. The name of the cluster follows. */
export const AGENT_SUBJECT_PREFIX = 'system:open-cluster-management:'

/** The group of all agents. */
export const MANAGED_CLUSTERS_GROUP = 'system:open-cluster-management:managed-clusters'

/** The group of users with a bootstrap token. */
export const BOOTSTRAP_GROUP = 'system:bootstrappers:managedcluster'

/** The service account for bootstrapping, in the namespace of the operator. */
export const BOOTSTRAP_SERVICE_ACCOUNT = 'agent-registration-bootstrap'

/** The ClusterRole of bootstrap users. */
export const BOOTSTRAP_CLUSTER_ROLE = 'open-cluster-management:bootstrap'

/** The id of the bootstrap token. Its Secret is `kube-system/bootstrap-token-<id>`. */
export const BOOTSTRAP_TOKEN_ID = 'ocmhub'

/** The signer of the client certificates of agents. */
export const KUBE_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client'

/** The signer of certificates for agents that connect over gRPC. */
export const GRPC_SIGNER = 'open-cluster-management.io/grpc'

/** Annotation of a certificate request that was sent over gRPC: its user. */
export const CSR_USER_ANNOTATION = 'open-cluster-management.io/csr-user'

/** The reason of the Approved condition of certificate requests. */
export const CSR_APPROVED_REASON = 'AutoApprovedByHubCSRApprovingController'

/** Reasons of registration events. */
export const RegistrationEvent = {
  /** Too many certificate requests are pending. */
  CertificateCreationHalted: 'ClientCertificateCreationHalted',
  /** A certificate request was approved. */
  CsrAutoApproved: 'ManagedClusterCSRAutoApproved',
  /** A cluster was accepted automatically. */
  ClusterAutoApproved: 'ManagedClusterAutoApproved',
  /** Another agent uses the name of a cluster whose agent is connected. */
  NameTaken: 'ManagedClusterNameTaken',
  /** A first certificate request was not approved automatically: an administrator decides. */
  RequestNotApproved: 'ManagedClusterCSRNotAutoApproved',
  /** A cluster was accepted, and its resources on the hub exist. */
  ClusterAccepted: 'ManagedClusterAccepted',
  /** A cluster was denied, and its permissions are revoked. */
  ClusterDenied: 'ManagedClusterDenied',
  /** The condition ClockSynced of a cluster changed. */
  ClockSyncedUpdated: 'ManagedClusterClockSyncedConditionUpdated',
  /** The cluster has more claims than the limit of reported claims. */
  ClaimsTruncated: 'CustomClusterClaimsTruncated',
  /** The API server of the cluster is available. */
  Available: 'Available',
  /** The API server of the cluster is unavailable. */
  Unavailable: 'Unavailable',
  /** The agent has stopped renewing its lease. */
  AvailableUnknown: 'AvailableUnknown',
  /** The availability taints of a cluster changed. */
  TaintsUpdated: 'ManagedClusterConditionAvailableUpdated',
  /** The default set was created. */
  DefaultSetCreated: 'DefaultManagedClusterSetCreated',
  /** The spec of the set was restored. */
  DefaultSetRestored: 'DefaultManagedClusterSetSpecRollbacked',
  /** The global set was created. */
  GlobalSetCreated: 'GlobalManagedClusterSetCreated',
  /** The spec of the set was restored. */
  GlobalSetRestored: 'GlobalManagedClusterSetSpecRollbacked',
  /** The managed namespaces of a cluster changed. */
  ManagedNamespacesUpdated: 'ManagedNamespacesUpdated',
  /** The resources of a cluster on the hub were deleted. */
  CleanupCompleted: 'ResourceCleanupCompleted',
  /** The resources of a cluster on the hub could not be deleted. */
  CleanupFailed: 'ResourceCleanupFail',
} as const
export type RegistrationEvent = (typeof RegistrationEvent)[keyof typeof RegistrationEvent]
