export const OVIM_GROUP = 'ovim.io'
export const OVIM_VERSION = 'v1'

/** The namespace of public catalogs and templates, and of operations that belong to no organization. */
export const SYSTEM_NAMESPACE = 'ovim-system'

/** Names that keep `vdc-{org}-{vdc}` within the 63 characters of a namespace. */
export const MAX_ORGANIZATION_NAME = 28
export const MAX_VDC_NAME = 30

const ORGANIZATION_NAMESPACE_PREFIX = 'org-'

/** Keeps a request until its virtual machine is deleted on the cluster. */
export const VM_FINALIZER = 'ovim.io/vm'
/** Keeps a virtual data center until it is deleted on the cluster. */
export const VDC_FINALIZER = 'ovim.io/vdc-finalizer'
/** Keeps an organization until its virtual data centers are deleted. */
export const ORGANIZATION_FINALIZER = 'ovim.io/organization'

export const ORGANIZATION_LABEL = 'ovim.io/organization'
export const ZONE_LABEL = 'ovim.io/zone'
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by'
/** The number of an operation among those of its target. */
export const SEQUENCE_LABEL = 'ovim.io/sequence'
/** The user who asked for an object through the REST API. */
export const REQUESTED_BY_ANNOTATION = 'ovim.io/requested-by'

/** The organization of a namespace on the hub; undefined for other namespaces. */
export function organizationOf(namespace: string): string | undefined {
  const { length } = ORGANIZATION_NAMESPACE_PREFIX
  return namespace.startsWith(ORGANIZATION_NAMESPACE_PREFIX) && namespace.length > length
    ? namespace.slice(length)
    : undefined
}
