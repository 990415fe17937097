/** The API group of works. */
export const WORK_GROUP = 'work.open-cluster-management.io'

/** Label of a ManifestWork: the ManifestWorkReplicaSet it belongs to, as `namespace.name`. */
export const REPLICA_SET_LABEL = 'work.open-cluster-management.io/manifestworkreplicaset'

/** Label of a ManifestWork: the Placement that selected its cluster. */
export const REPLICA_SET_PLACEMENT_LABEL = 'work.open-cluster-management.io/placementname'

/** Label of a ManifestWork that arrived as a CloudEvent: the source that gets its status. */
export const ORIGINAL_SOURCE_LABEL = 'cloudevents.open-cluster-management.io/originalsource'

/** Annotation of a ManifestWork of a ManifestWorkReplicaSet: when its template was rolled out to the cluster. */
export const ROLLED_OUT_AT_ANNOTATION = 'work.open-cluster-management.io/rolled-out-at'

/**
 * Annotation of a ManifestWorkReplicaSet, `true`: expressions such as `{{cluster.name}}` are expanded for each
 * cluster.
 */
export const TEMPLATING_ANNOTATION = 'work.open-cluster-management.io/templating'

/**
 * Annotation of a manifest in a ManifestWorkReplicaSet with templating: metadata as JSON that overrides its own. For
 * names, namespaces and labels, where API servers reject `{{cluster.name}}`.
 */
export const METADATA_TEMPLATE_ANNOTATION = 'work.open-cluster-management.io/metadata-template'

/** Label of a part of a split ManifestWork: the name of the whole. */
export const PART_OF_LABEL = 'work.open-cluster-management.io/part-of'

/** Annotation of a part of a split ManifestWork: its number and the number of parts, such as `2/3`. */
export const PART_ANNOTATION = 'work.open-cluster-management.io/part'

/** Label of a ClusterRole on a managed cluster, `true`: it is aggregated to the permissions of the agent. */
export const AGGREGATE_TO_WORK_LABEL = 'open-cluster-management.io/aggregate-to-work'

/** Annotation of an applied object or a work: a hash of its configuration. */
export const CONFIG_SPEC_HASH_ANNOTATION = 'open-cluster-management.io/config-spec-hash'

/** Annotation of an applied object: a hash of its spec. */
export const OBJECT_HASH_ANNOTATION = 'open-cluster-management.io/object-hash'

/** Finalizer of a ManifestWork: its objects on the cluster are deleted first. */
export const WORK_FINALIZER = 'cluster.open-cluster-management.io/manifest-work-cleanup'

/** Finalizer of an AppliedManifestWork: the objects it lists are deleted first. */
export const APPLIED_WORK_FINALIZER = 'cluster.open-cluster-management.io/applied-manifest-work-cleanup'

/** Finalizer of a ManifestWorkReplicaSet: its works are deleted first. */
export const REPLICA_SET_FINALIZER = 'work.open-cluster-management.io/manifest-work-cleanup'

/** The default field manager of objects that an agent applies. */
export const WORK_FIELD_MANAGER = 'work-agent'

/** The service account of the agent on its cluster. */
export const WORK_SERVICE_ACCOUNT = 'klusterlet-work-sa'

/** The verb that permits users to set a service account as the executor of a work. */
export const EXECUTE_AS_VERB = 'execute-as'

/**
 * The maximum length of the name of a work. The name of an AppliedManifestWork adds a hash of the hub and a dash, 65
 * characters, and names are limited to 253.
 */
export const MAX_WORK_NAME = 188
