/** Where the agent runs on a managed cluster. */
export const AGENT_NAMESPACE = 'open-cluster-management-agent'

/** Where add-ons run on a managed cluster unless told otherwise. */
export const ADDON_NAMESPACE = 'open-cluster-management-agent-addon'

/** Where the controllers run on a hub. */
export const HUB_NAMESPACE = 'open-cluster-management-hub'

/** Where what installs hub and agents runs, and where clusters find the way in. */
export const OPERATOR_NAMESPACE = 'open-cluster-management'

/** The Secret with the kubeconfig that an agent asks for its own identity with. */
export const BOOTSTRAP_SECRET = 'bootstrap-hub-kubeconfig'

/** Its key that says for how many seconds certificates are asked for. Orrery's own. */
export const CERTIFICATE_SECONDS_KEY = 'client-cert-expiration-seconds'

/** The Secret with the identity of the agent on the hub. */
export const HUB_KUBECONFIG_SECRET = 'hub-kubeconfig-secret'

/** The Secret with the key that the agent has asked for a certificate for. Orrery's own. */
export const HUB_KUBECONFIG_REQUEST_SECRET = 'hub-kubeconfig-request'

/** The Lease, in the hub's namespace, that its controllers elect their leader with. Orrery's own. */
export const HUB_LEADER_LEASE = 'orrery-hub'

/** The Lease, in the agent's namespace, that agents of one cluster elect their leader with. Orrery's own. */
export const AGENT_LEADER_LEASE = 'orrery-agent'

/** The keys of the Secret with the identity of the agent. */
export const HubKubeconfigKey = {
  /** The certificate. */
  Certificate: 'tls.crt',
  /** Its private key. */
  PrivateKey: 'tls.key',
  /** The kubeconfig that uses both. */
  Kubeconfig: 'kubeconfig',
  /** The name of the cluster. */
  ClusterName: 'cluster-name',
  /** The name of the agent. */
  AgentName: 'agent-name',
} as const
export type HubKubeconfigKey = (typeof HubKubeconfigKey)[keyof typeof HubKubeconfigKey]

/** Its annotation with the version of the hub at which that took note of the cluster. Orrery's own. */
export const CLUSTER_VERSION_ANNOTATION = 'agent.open-cluster-management.io/cluster-version'

/** Its annotation with the uid of the ManagedCluster that the certificate was asked for. Orrery's own. */
export const CLUSTER_UID_ANNOTATION = 'agent.open-cluster-management.io/cluster-uid'

/**
 * Annotation of a cluster's Lease: its agent was stopped after the renewal of `renewTime`. As JSON: `renewTime`, and
 * `handoverSeconds`, how long another agent may take to renew the Lease before the hub counts the cluster as stopped. The
 * annotation says nothing once the Lease has another `renewTime`. Orrery's own.
 */
export const AGENT_STOPPED_ANNOTATION = 'agent.open-cluster-management.io/stopped'

/**
 * Annotation of a ManagedCluster: the user who created it. Admission writes it. The hub approves a first certificate by
 * itself only if this user asks for it. Changing it needs `update` on `managedclusters/accept`. Orrery's own.
 */
export const CREATED_BY_ANNOTATION = 'registration.open-cluster-management.io/created-by'

/** Annotation of the bindings of an agent: the uid of the ManagedCluster that they are for. Orrery's own. */
export const REGISTRATION_ANNOTATION = 'registration.open-cluster-management.io/cluster-uid'

/** Annotation of the bindings of an agent: when its first certificate was approved. Orrery's own. */
export const APPROVED_ON_ANNOTATION = 'registration.open-cluster-management.io/approved-on'

/** Annotation of the namespace of a cluster: the agents that have been registered under its name. Orrery's own. */
export const REGISTERED_AGENTS_ANNOTATION = 'registration.open-cluster-management.io/registered-agents'

/** The Secret with what a cluster is imported by. */
export const CLUSTER_IMPORT_SECRET = 'cluster-import-config'

/** What agents, and groups of agents, are called by on the hub, before the name of the cluster. */
export const AGENT_SUBJECT_PREFIX = 'system:open-cluster-management:'

/** The group all agents are in. */
export const MANAGED_CLUSTERS_GROUP = 'system:open-cluster-management:managed-clusters'

/** The group of those that come with a bootstrap token. */
export const BOOTSTRAP_GROUP = 'system:bootstrappers:managedcluster'

/** The account of those that come with a token of a service account, in the namespace of the operator. */
export const BOOTSTRAP_SERVICE_ACCOUNT = 'agent-registration-bootstrap'

/** What those may do that have no identity of their own yet. */
export const BOOTSTRAP_CLUSTER_ROLE = 'open-cluster-management:bootstrap'

/** The id of the bootstrap token for joining; its Secret in `kube-system` is `bootstrap-token-<id>`. */
export const BOOTSTRAP_TOKEN_ID = 'ocmhub'

/** The signer of the certificates that agents identify themselves with. */
export const KUBE_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client'

/** The signer of certificates for agents that come by gRPC. */
export const GRPC_SIGNER = 'open-cluster-management.io/grpc'

/** Annotation of a request for a certificate that came by gRPC: who sent it. */
export const CSR_USER_ANNOTATION = 'open-cluster-management.io/csr-user'

/** The reason that requests for certificates are approved with. */
export const CSR_APPROVED_REASON = 'AutoApprovedByHubCSRApprovingController'

/** Reasons of the events about joining and its certificates. */
export const RegistrationEvent = {
  /** There are too many requests for certificates to add another. */
  CertificateCreationHalted: 'ClientCertificateCreationHalted',
  /** A request for a certificate was approved. */
  CsrAutoApproved: 'ManagedClusterCSRAutoApproved',
  /** A cluster was let in without being asked for. */
  ClusterAutoApproved: 'ManagedClusterAutoApproved',
  /** Somebody came under the name of a cluster whose agent is alive. */
  NameTaken: 'ManagedClusterNameTaken',
  /** A first certificate was asked for that the hub does not approve by itself: a person has to decide. */
  RequestNotApproved: 'ManagedClusterCSRNotAutoApproved',
  /** An administrator has let a cluster in, and all it needs is there. */
  ClusterAccepted: 'ManagedClusterAccepted',
  /** An administrator has thrown a cluster out, and its rights are gone. */
  ClusterDenied: 'ManagedClusterDenied',
  /** The clocks of cluster and hub came to agree, or no longer do. */
  ClockSyncedUpdated: 'ManagedClusterClockSyncedConditionUpdated',
  /** There are more claims than are reported. */
  ClaimsTruncated: 'CustomClusterClaimsTruncated',
  /** The API server of the cluster answers. */
  Available: 'Available',
  /** The API server of the cluster does not answer. */
  Unavailable: 'Unavailable',
  /** The agent gives no sign of life. */
  AvailableUnknown: 'AvailableUnknown',
  /** The taints that say whether a cluster is available were changed. */
  TaintsUpdated: 'ManagedClusterConditionAvailableUpdated',
  /** The set of clusters that are in no other was made. */
  DefaultSetCreated: 'DefaultManagedClusterSetCreated',
  /** That set selects again what it should. */
  DefaultSetRestored: 'DefaultManagedClusterSetSpecRollbacked',
  /** The set of all clusters was made. */
  GlobalSetCreated: 'GlobalManagedClusterSetCreated',
  /** That set selects again what it should. */
  GlobalSetRestored: 'GlobalManagedClusterSetSpecRollbacked',
  /** The sets of a cluster want other namespaces on it than before. */
  ManagedNamespacesUpdated: 'ManagedNamespacesUpdated',
  /** What a cluster had on the hub is gone. */
  CleanupCompleted: 'ResourceCleanupCompleted',
  /** What a cluster had on the hub could not be deleted. */
  CleanupFailed: 'ResourceCleanupFail',
} as const
export type RegistrationEvent = (typeof RegistrationEvent)[keyof typeof RegistrationEvent]
