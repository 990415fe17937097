import {
  ADDON_NAMESPACE,
  HOSTING_CLUSTER_ANNOTATION,
  INSTALL_NAMESPACE_ANNOTATION,
  type ManagedClusterAddOn,
} from '@orrery/api'

/** Where the agent of an add-on runs. */
export interface AddonLocation {
  /** Whether it runs on the hosting cluster instead of the managed cluster. */
  readonly isHosted: boolean
  readonly namespace: string
}

/** Where the agent of an add-on runs, and thus where its Secrets and its Lease are. */
export function locationOf(addon: ManagedClusterAddOn): AddonLocation {
  const namespace = addon.status?.namespace || annotationOf(addon, INSTALL_NAMESPACE_ANNOTATION) || ADDON_NAMESPACE
  return { isHosted: hostingClusterOf(addon) !== '', namespace }
}

/** The name of the hosting cluster; empty if the add-on is not hosted. */
export function hostingClusterOf(addon: ManagedClusterAddOn): string {
  return annotationOf(addon, HOSTING_CLUSTER_ANNOTATION)
}

function annotationOf({ metadata }: ManagedClusterAddOn, key: string): string {
  return metadata.annotations?.[key] ?? ''
}
