/** The group of managed clusters, cluster sets and placements. */
export const CLUSTER_GROUP = 'cluster.open-cluster-management.io'

/** The group that exists in rules only: who may accept clusters and renew their certificates. */
export const REGISTER_GROUP = 'register.open-cluster-management.io'

/** Label: which cluster an object on the hub is for. */
export const CLUSTER_NAME_LABEL = 'open-cluster-management.io/cluster-name'

/** Label of a ManagedCluster: which exclusive set it is in. */
export const CLUSTER_SET_LABEL = 'cluster.open-cluster-management.io/clusterset'

/** Label of a claim or property: stays on the cluster, and is not reported to the hub. */
export const SPOKE_ONLY_LABEL = 'open-cluster-management.io/spoke-only'

/** Prefix of the label of a namespace that a hub manages on a cluster; the rest is a hash of the hub. */
export const MANAGED_NAMESPACE_LABEL_PREFIX = 'clusterset.open-cluster-management.io/'

/** Label of a PlacementDecision: the Placement it belongs to. */
export const PLACEMENT_LABEL = 'cluster.open-cluster-management.io/placement'

/** Label of a PlacementDecision: the place of its group, from 0. */
export const DECISION_GROUP_INDEX_LABEL = 'cluster.open-cluster-management.io/decision-group-index'

/** Label of a PlacementDecision: the name of its group, empty when it has none. */
export const DECISION_GROUP_NAME_LABEL = 'cluster.open-cluster-management.io/decision-group-name'

/** Annotation of a ManagedCluster: when it was let in without being asked for. */
export const AUTOMATICALLY_ACCEPTED_ANNOTATION = 'open-cluster-management.io/automatically-accepted-on'

/** Annotation: in which order, from 0 to 100, objects go when their cluster is detached. */
export const CLEANUP_PRIORITY_ANNOTATION = 'open-cluster-management.io/cleanup-priority'

/** Annotation of a ManagedCluster, `true`: a clock that is off does not matter. */
export const SKIP_CLOCK_SYNC_ANNOTATION = 'registration.open-cluster-management.io/skip-clock-sync-check'

/**
 * Annotation of a ManagedCluster, a number from 1: after how many times its `leaseDurationSeconds` without a sign of life
 * it counts as unreachable. Only Orrery's hub asks for it; others take 5.
 */
export const LEASE_GRACE_FACTOR_ANNOTATION = 'registration.open-cluster-management.io/lease-grace-factor'

/** Annotation of a default ManagedClusterSet, `false`: changes to it are kept. */
export const AUTO_UPDATE_ANNOTATION = 'cluster.open-cluster-management.io/autoupdate'

/** Annotation of a Placement, `true`: it is not scheduled here. */
export const SCHEDULING_DISABLED_ANNOTATION = 'cluster.open-cluster-management.io/experimental-scheduling-disable'

/** Annotation of a ManagedCluster: the registries that images come from, as JSON. */
export const IMAGE_REGISTRIES_ANNOTATION = 'open-cluster-management.io/image-registries'

/** Prefix of the annotations that an agent may give its ManagedCluster. */
export const AGENT_ANNOTATION_PREFIX = 'agent.open-cluster-management.io'

/** Annotation of a ManagedCluster: the key that values for its agent alone are sealed with. */
export const SEALING_KEY_ANNOTATION = 'agent.open-cluster-management.io/sealing-key'

/** Annotation of a ManagedCluster: the ARN of a cluster that registers with AWS IAM. */
export const CLUSTER_ARN_ANNOTATION = 'agent.open-cluster-management.io/managed-cluster-arn'

/** Annotation of a ManagedCluster: the end of the names of its roles in AWS IAM. */
export const CLUSTER_IAM_ROLE_SUFFIX_ANNOTATION = 'agent.open-cluster-management.io/managed-cluster-iam-role-suffix'

/** Finalizer of a ManagedCluster: its roles and bindings on the hub must go first. */
export const CLUSTER_FINALIZER = 'cluster.open-cluster-management.io/api-resource-cleanup'

/** Finalizer of a ManagedCluster: its add-ons and works must go first. */
export const CLUSTER_RESOURCES_FINALIZER = 'cluster.open-cluster-management.io/resource-cleanup'

/** Taint of a cluster whose API server does not answer its agent. */
export const UNAVAILABLE_TAINT = 'cluster.open-cluster-management.io/unavailable'

/** Taint of a cluster whose agent gives no sign of life. */
export const UNREACHABLE_TAINT = 'cluster.open-cluster-management.io/unreachable'

/** The Lease, in the namespace of a cluster, by which its agent gives signs of life. */
export const CLUSTER_LEASE = 'managed-cluster-lease'

/** The set that clusters are in unless told otherwise. */
export const DEFAULT_CLUSTER_SET = 'default'

/** The set that all clusters are in. */
export const GLOBAL_CLUSTER_SET = 'global'

/** Claims that are reported whatever their number. */
export const RESERVED_CLAIMS = [
  'id.k8s.io',
  'kubeversion.open-cluster-management.io',
  'platform.open-cluster-management.io',
  'product.open-cluster-management.io',
] as const
