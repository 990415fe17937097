/** The group of works. */
export const WORK_GROUP = 'work.open-cluster-management.io'

/** Label of a ManifestWork: the ManifestWorkReplicaSet it belongs to, as `namespace.name`. */
export const REPLICA_SET_LABEL = 'work.open-cluster-management.io/manifestworkreplicaset'

/** Label of a ManifestWork: the Placement that chose its cluster. */
export const REPLICA_SET_PLACEMENT_LABEL = 'work.open-cluster-management.io/placementname'

/** Annotation of a ManifestWork of a ManifestWorkReplicaSet: when its cluster was given the template it is made from. */
export const ROLLED_OUT_AT_ANNOTATION = 'work.open-cluster-management.io/rolled-out-at'

/** Annotation of a ManifestWorkReplicaSet, `true`: `{{cluster.name}}` and the like are filled in for each cluster. */
export const TEMPLATING_ANNOTATION = 'work.open-cluster-management.io/templating'

/**
 * Annotation of a manifest in a ManifestWorkReplicaSet with templating: metadata as JSON that goes over its own. For names,
 * namespaces and labels, in which an API server takes no `{{cluster.name}}`.
 */
export const METADATA_TEMPLATE_ANNOTATION = 'work.open-cluster-management.io/metadata-template'

/** Label of a ManifestWork that is part of a larger one: which. */
export const PART_OF_LABEL = 'work.open-cluster-management.io/part-of'

/** Annotation of such a ManifestWork: which part it is of how many, `2/3`. */
export const PART_ANNOTATION = 'work.open-cluster-management.io/part'

/** Label of a ClusterRole on a cluster, `true`: what it allows, the agent may do. */
export const AGGREGATE_TO_WORK_LABEL = 'open-cluster-management.io/aggregate-to-work'

/** Annotation of an applied object, or of a work: a hash of what it was made from. */
export const CONFIG_SPEC_HASH_ANNOTATION = 'open-cluster-management.io/config-spec-hash'

/** Annotation of an applied object: a hash of its spec. */
export const OBJECT_HASH_ANNOTATION = 'open-cluster-management.io/object-hash'

/** Finalizer of a ManifestWork: what it put on the cluster must go first. */
export const WORK_FINALIZER = 'cluster.open-cluster-management.io/manifest-work-cleanup'

/** Finalizer of an AppliedManifestWork: the objects it lists must go first. */
export const APPLIED_WORK_FINALIZER = 'cluster.open-cluster-management.io/applied-manifest-work-cleanup'

/** Finalizer of a ManifestWorkReplicaSet: its works must go first. */
export const REPLICA_SET_FINALIZER = 'work.open-cluster-management.io/manifest-work-cleanup'

/** Whom the fields belong to that an agent applies on its cluster, unless the work says otherwise. */
export const WORK_FIELD_MANAGER = 'work-agent'

/** The account the agent applies works with on its cluster. */
export const WORK_SERVICE_ACCOUNT = 'klusterlet-work-sa'

/** The verb that lets somebody have works applied in the name of an account of the cluster. */
export const EXECUTE_AS_VERB = 'execute-as'

/**
 * How many characters the name of a work may have. Agents keep what they applied under it, behind a hash of the hub and a
 * dash, which take 65 of the 253 that names have.
 */
export const LONGEST_WORK_NAME = 188
