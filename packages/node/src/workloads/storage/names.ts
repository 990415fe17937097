/** The provisioner of this package: a directory on the node for each claim. */
export const PROVISIONER = 'orrery.dev/local-path'
export const DEFAULT_CLASS = 'standard'

export const IS_DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner'
export const STORAGE_PROVISIONER_BETA = 'volume.beta.kubernetes.io/storage-provisioner'
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller'
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'
