/** The API group of add-ons. */
export const ADDON_GROUP = 'addon.open-cluster-management.io'

/** Label of objects of an add-on on the hub, such as works, certificate requests and roles: the name of the add-on. */
export const ADDON_NAME_LABEL = 'open-cluster-management.io/addon-name'

/** Label of a ManifestWork in the namespace of a hosting cluster: the namespace of the ManagedClusterAddOn. */
export const ADDON_NAMESPACE_LABEL = 'open-cluster-management.io/addon-namespace'

/** Label of a RoleBinding on the hub that was created for an AddOnTemplate. Its value is empty. */
export const ADDON_TEMPLATE_LABEL = 'open-cluster-management.io/addon-template-name'

/** Prefix of the labels of a ManagedCluster with the state of its add-ons. The suffix is the name of the add-on. */
export const ADDON_FEATURE_LABEL_PREFIX = 'feature.open-cluster-management.io/addon-'

/** Values of the add-on labels of a ManagedCluster. */
export const AddOnFeature = {
  Available: 'available',
  Unhealthy: 'unhealthy',
  Unreachable: 'unreachable',
} as const
export type AddOnFeature = (typeof AddOnFeature)[keyof typeof AddOnFeature]

/** Label of an add-on namespace on a managed cluster, `true`: image pull secrets are copied to it. */
export const ADDON_INSTALL_NAMESPACE_LABEL = 'addon.open-cluster-management.io/namespace'

/** The Secret with the credentials of image registries. The agent copies it from its namespace to those of add-ons. */
export const IMAGE_PULL_SECRET = 'open-cluster-management-image-pull-credentials'

/** Label of a copy of the image pull secret: the namespace of the agent that keeps it. Specific to Orrery. */
export const COPIED_FROM_LABEL = 'addon.orrery.dev/copied-from'

/**
 * Label of a Secret with credentials of an add-on's agent: the name of the managed cluster on the hub. The cluster's agent keeps the
 * Secrets with this label and deletes those that are no longer needed. Specific to Orrery.
 */
export const ADDON_CREDENTIALS_LABEL = 'addon.orrery.dev/cluster-name'

/** Label of the service account, role and binding for the token of an add-on, `true`. */
export const TOKEN_INFRASTRUCTURE_LABEL = 'addon.open-cluster-management.io/token-infrastructure'

/** Label of the service account, role and binding for the token of an add-on: the name of the add-on. */
export const TOKEN_ADDON_NAME_LABEL = 'addon.open-cluster-management.io/name'

/** Prefix of the annotations that are copied from a ManagedCluster to its ManagedClusterAddOns. */
export const ADDON_ANNOTATION_PREFIX = 'addon.open-cluster-management.io'

/** Annotation of a ManagedClusterAddOn in v1beta1: the installNamespace of v1alpha1. */
export const INSTALL_NAMESPACE_ANNOTATION = 'addon.open-cluster-management.io/v1alpha1-install-namespace'

/** Annotation of a ClusterManagementAddOn: the component that manages its installation. */
export const LIFECYCLE_ANNOTATION = 'addon.open-cluster-management.io/lifecycle'

/** The component that manages the installation of an add-on. */
export const AddOnLifecycle = {
  /** The hub. This is the default. */
  Manager: 'addon-manager',
  /** The add-on itself. */
  Self: 'self',
} as const
export type AddOnLifecycle = (typeof AddOnLifecycle)[keyof typeof AddOnLifecycle]

/** Annotation of a ManagedClusterAddOn: disables automatic installation. Reserved: it has no effect. */
export const DISABLE_INSTALLATION_ANNOTATION = 'addon.open-cluster-management.io/disable-automatic-installation'

/** Annotation of a ManagedClusterAddOn: the name of the hosting cluster. */
export const HOSTING_CLUSTER_ANNOTATION = 'addon.open-cluster-management.io/hosting-cluster-name'

/** Annotation of a ManagedClusterAddOn: values for its templates, as JSON. */
export const VALUES_ANNOTATION = 'addon.open-cluster-management.io/values'

/** Annotation of a Job or Pod manifest: a pre-delete hook, which runs before the add-on is deleted. */
export const PRE_DELETE_ANNOTATION = 'addon.open-cluster-management.io/addon-pre-delete'

/** Deprecated label with the meaning of `PRE_DELETE_ANNOTATION`. */
export const PRE_DELETE_LABEL = 'open-cluster-management.io/addon-pre-delete'

/** Annotation of a manifest: the object is kept when the add-on is deleted. */
export const DELETION_ORPHAN_ANNOTATION = 'addon.open-cluster-management.io/deletion-orphan'

/** Annotation of a manifest: its location in hosted mode. Deprecated as a label. */
export const MANIFEST_LOCATION_ANNOTATION = 'addon.open-cluster-management.io/hosted-manifest-location'

/** The location of a manifest in hosted mode. */
export const ManifestLocation = {
  /** The managed cluster. This is the default. */
  Managed: 'managed',
  /** The hosting cluster. */
  Hosting: 'hosting',
  /** No cluster. */
  None: 'none',
} as const
export type ManifestLocation = (typeof ManifestLocation)[keyof typeof ManifestLocation]

/** Finalizer of a ManagedClusterAddOn: its pre-delete hooks complete first. */
export const PRE_DELETE_FINALIZER = 'addon.open-cluster-management.io/addon-pre-delete'

/** Finalizer of a ManagedClusterAddOn: its pre-delete hooks on the hosting cluster complete first. */
export const HOSTING_PRE_DELETE_FINALIZER = 'addon.open-cluster-management.io/hosting-addon-pre-delete'

/** Finalizer of a ManagedClusterAddOn: its objects on the hosting cluster are deleted first. */
export const HOSTING_MANIFESTS_FINALIZER = 'addon.open-cluster-management.io/hosting-manifests-cleanup'

/** Finalizers of ManagedClusterAddOns from older versions. The hub removes them. */
export const DEPRECATED_ADDON_FINALIZERS = [
  'cluster.open-cluster-management.io/addon-pre-delete',
  'cluster.open-cluster-management.io/hosting-addon-pre-delete',
  'cluster.open-cluster-management.io/hosting-manifests-cleanup',
] as const

/** The name in v1beta1 that stands for a missing default configuration. It is not a valid object name. */
export const NO_DEFAULT_CONFIG = '__reserved_no_default__'

/**
 * Annotation of an object that an add-on reports: when its data was observed. It is renewed only now and then while the data does
 * not change. Specific to Orrery.
 */
export const REPORT_OBSERVED_AT_ANNOTATION = 'addon.orrery.dev/observed-at'

/** Annotation of an object that an add-on reports: after this time, the add-on has stopped reporting. Specific to Orrery. */
export const REPORT_VALID_UNTIL_ANNOTATION = 'addon.orrery.dev/valid-until'

/**
 * Annotation of the Lease of an add-on: why its agent cannot do its work, such as a permission that it does not have on the hub. The
 * agent of the cluster reports it as the condition Degraded of the ManagedClusterAddOn. Specific to Orrery.
 */
export const ADDON_PROBLEM_ANNOTATION = 'addon.orrery.dev/problem'
