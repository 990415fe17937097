/** The group of add-ons. */
export const ADDON_GROUP = 'addon.open-cluster-management.io'

/** Label of what belongs to an add-on on the hub: its works, requests for certificates and roles. */
export const ADDON_NAME_LABEL = 'open-cluster-management.io/addon-name'

/** Label of a ManifestWork in the namespace of a hosting cluster: the namespace of the ManagedClusterAddOn. */
export const ADDON_NAMESPACE_LABEL = 'open-cluster-management.io/addon-namespace'

/** Label of a RoleBinding on the hub that was made for an add-on from a template. Its value is empty. */
export const ADDON_TEMPLATE_LABEL = 'open-cluster-management.io/addon-template-name'

/** Prefix of the labels of a ManagedCluster that say how its add-ons fare; the rest is the name of the add-on. */
export const ADDON_FEATURE_LABEL_PREFIX = 'feature.open-cluster-management.io/addon-'

/** What the labels of a ManagedCluster say of its add-ons. */
export const AddOnFeature = {
  Available: 'available',
  Unhealthy: 'unhealthy',
  Unreachable: 'unreachable',
} as const
export type AddOnFeature = (typeof AddOnFeature)[keyof typeof AddOnFeature]

/** Label of a namespace on a cluster, `true`: add-ons are in it, and get what they need to pull images. */
export const ADDON_INSTALL_NAMESPACE_LABEL = 'addon.open-cluster-management.io/namespace'

/** Label of the account, role and binding, `true`, by which an add-on gets its token. */
export const TOKEN_INFRASTRUCTURE_LABEL = 'addon.open-cluster-management.io/token-infrastructure'

/** Label of the account, role and binding by which an add-on gets its token: the name of the add-on. */
export const TOKEN_ADDON_NAME_LABEL = 'addon.open-cluster-management.io/name'

/** Prefix of the annotations that a ManagedClusterAddOn gets from its ManagedCluster. */
export const ADDON_ANNOTATION_PREFIX = 'addon.open-cluster-management.io'

/** Annotation of a ManagedClusterAddOn that has no room for the namespace that v1alpha1 says it goes to. */
export const INSTALL_NAMESPACE_ANNOTATION = 'addon.open-cluster-management.io/v1alpha1-install-namespace'

/** Annotation of a ClusterManagementAddOn: who installs it and keeps it up to date. */
export const LIFECYCLE_ANNOTATION = 'addon.open-cluster-management.io/lifecycle'

/** Who installs an add-on and keeps it up to date. */
export const AddOnLifecycle = {
  /** The hub, which is what goes without saying. */
  Manager: 'addon-manager',
  /** The add-on itself: the hub keeps out of it. */
  Self: 'self',
} as const
export type AddOnLifecycle = (typeof AddOnLifecycle)[keyof typeof AddOnLifecycle]

/** Annotation of a ManagedClusterAddOn: do not install it by itself. Reserved: nothing looks at it. */
export const DISABLE_INSTALLATION_ANNOTATION = 'addon.open-cluster-management.io/disable-automatic-installation'

/** Annotation of a ManagedClusterAddOn: the cluster that runs the agent for it. */
export const HOSTING_CLUSTER_ANNOTATION = 'addon.open-cluster-management.io/hosting-cluster-name'

/** Annotation of a ManagedClusterAddOn: values for its templates, as JSON. */
export const VALUES_ANNOTATION = 'addon.open-cluster-management.io/values'

/** Annotation of a manifest, a Job or a Pod: runs on the cluster before the add-on goes. */
export const PRE_DELETE_ANNOTATION = 'addon.open-cluster-management.io/addon-pre-delete'

/** Label of a manifest with the meaning of `PRE_DELETE_ANNOTATION`. Deprecated. */
export const PRE_DELETE_LABEL = 'open-cluster-management.io/addon-pre-delete'

/** Annotation of a manifest: it stays when the add-on goes. */
export const DELETION_ORPHAN_ANNOTATION = 'addon.open-cluster-management.io/deletion-orphan'

/** Annotation of a manifest: where it goes when another cluster runs the agent. As a label, deprecated. */
export const MANIFEST_LOCATION_ANNOTATION = 'addon.open-cluster-management.io/hosted-manifest-location'

/** Where a manifest goes when another cluster runs the agent. */
export const ManifestLocation = {
  /** To the cluster that has the add-on, which is what goes without saying. */
  Managed: 'managed',
  /** To the cluster that runs the agent. */
  Hosting: 'hosting',
  /** Nowhere. */
  None: 'none',
} as const
export type ManifestLocation = (typeof ManifestLocation)[keyof typeof ManifestLocation]

/** Finalizer of a ManagedClusterAddOn: what runs before it goes must have run. */
export const PRE_DELETE_FINALIZER = 'addon.open-cluster-management.io/addon-pre-delete'

/** Finalizer of a ManagedClusterAddOn: what runs on the hosting cluster before it goes must have run. */
export const HOSTING_PRE_DELETE_FINALIZER = 'addon.open-cluster-management.io/hosting-addon-pre-delete'

/** Finalizer of a ManagedClusterAddOn: what it has on the hosting cluster must go first. */
export const HOSTING_MANIFESTS_FINALIZER = 'addon.open-cluster-management.io/hosting-manifests-cleanup'

/** Finalizers that older versions gave a ManagedClusterAddOn. They are taken off where they are met. */
export const DEPRECATED_ADDON_FINALIZERS = [
  'cluster.open-cluster-management.io/addon-pre-delete',
  'cluster.open-cluster-management.io/hosting-addon-pre-delete',
  'cluster.open-cluster-management.io/hosting-manifests-cleanup',
] as const

/** The name, in v1beta1, of the default configuration that an add-on does not have. No object can be called so. */
export const NO_DEFAULT_CONFIG = '__reserved_no_default__'
