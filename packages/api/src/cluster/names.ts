/** The API group of managed clusters, cluster sets and placements. */
export const CLUSTER_GROUP = 'cluster.open-cluster-management.io'

/** The API group in RBAC rules for accepting clusters and renewing their certificates. It has no resources. */
export const REGISTER_GROUP = 'register.open-cluster-management.io'

/** Label of an object on the hub: the name of its cluster. */
export const CLUSTER_NAME_LABEL = 'open-cluster-management.io/cluster-name'

/** Label of a ManagedCluster: the name of its exclusive ManagedClusterSet. */
export const CLUSTER_SET_LABEL = 'cluster.open-cluster-management.io/clusterset'

/** Label of a ClusterClaim or ClusterProperty: the agent does not report it to the hub. */
export const SPOKE_ONLY_LABEL = 'open-cluster-management.io/spoke-only'

/** Prefix of the label of a namespace that a hub manages on a cluster. The suffix is a hash of the hub. */
export const MANAGED_NAMESPACE_LABEL_PREFIX = 'clusterset.open-cluster-management.io/'

/** Label of a PlacementDecision: the name of its Placement. */
export const PLACEMENT_LABEL = 'cluster.open-cluster-management.io/placement'

/** Label of a PlacementDecision: the index of its decision group, from 0. */
export const DECISION_GROUP_INDEX_LABEL = 'cluster.open-cluster-management.io/decision-group-index'

/** Label of a PlacementDecision: the name of its decision group, or empty. */
export const DECISION_GROUP_NAME_LABEL = 'cluster.open-cluster-management.io/decision-group-name'

/** Annotation of a ManagedCluster: the time of its automatic acceptance. */
export const AUTOMATICALLY_ACCEPTED_ANNOTATION = 'open-cluster-management.io/automatically-accepted-on'

/** Annotation: the deletion order, from 0 to 100, of objects of a cluster that is detached. */
export const CLEANUP_PRIORITY_ANNOTATION = 'open-cluster-management.io/cleanup-priority'

/** Annotation of a ManagedCluster, `true`: skip the check of its clock. */
export const SKIP_CLOCK_SYNC_ANNOTATION = 'registration.open-cluster-management.io/skip-clock-sync-check'

/**
 * Annotation of a ManagedCluster, a number from 1: the number of `leaseDurationSeconds` without renewal after which
 * the cluster is unreachable. Specific to Orrery; other hubs use 5.
 */
export const LEASE_GRACE_FACTOR_ANNOTATION = 'registration.open-cluster-management.io/lease-grace-factor'

/** Annotation of a default ManagedClusterSet, `false`: the hub does not restore its spec. */
export const AUTO_UPDATE_ANNOTATION = 'cluster.open-cluster-management.io/autoupdate'

/** Annotation of a Placement, `true`: the hub does not schedule it. */
export const SCHEDULING_DISABLED_ANNOTATION = 'cluster.open-cluster-management.io/experimental-scheduling-disable'

/** Annotation of a ManagedCluster: its image registries, as JSON. */
export const IMAGE_REGISTRIES_ANNOTATION = 'open-cluster-management.io/image-registries'

/** Prefix of the annotations that an agent can set on its ManagedCluster. */
export const AGENT_ANNOTATION_PREFIX = 'agent.open-cluster-management.io'

/** Annotation of a ManagedCluster: the public key that values for its agent are sealed with. */
export const SEALING_KEY_ANNOTATION = 'agent.open-cluster-management.io/sealing-key'

/** Annotation of a ManagedCluster: the ARN of a cluster that registers with AWS IAM. */
export const CLUSTER_ARN_ANNOTATION = 'agent.open-cluster-management.io/managed-cluster-arn'

/** Annotation of a ManagedCluster: the suffix of the names of its AWS IAM roles. */
export const CLUSTER_IAM_ROLE_SUFFIX_ANNOTATION = 'agent.open-cluster-management.io/managed-cluster-iam-role-suffix'

/** Finalizer of a ManagedCluster: its roles and bindings on the hub are deleted first. */
export const CLUSTER_FINALIZER = 'cluster.open-cluster-management.io/api-resource-cleanup'

/** Finalizer of a ManagedCluster: its add-ons and works are deleted first. */
export const CLUSTER_RESOURCES_FINALIZER = 'cluster.open-cluster-management.io/resource-cleanup'

/** Taint of a cluster whose API server is unavailable. */
export const UNAVAILABLE_TAINT = 'cluster.open-cluster-management.io/unavailable'

/** Taint of a cluster whose agent has stopped renewing its lease. */
export const UNREACHABLE_TAINT = 'cluster.open-cluster-management.io/unreachable'

/** The Lease in the namespace of a cluster that its agent renews. */
export const CLUSTER_LEASE = 'managed-cluster-lease'

/** The default set of clusters. */
export const DEFAULT_CLUSTER_SET = 'default'

/** The set of all clusters. */
export const GLOBAL_CLUSTER_SET = 'global'

/** Claims that do not count toward the limit of reported claims. */
export const RESERVED_CLAIMS = [
  'id.k8s.io',
  'kubeversion.open-cluster-management.io',
  'platform.open-cluster-management.io',
  'product.open-cluster-management.io',
] as const
