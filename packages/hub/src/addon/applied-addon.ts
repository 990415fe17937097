import {
  ADDON_ANNOTATION_PREFIX,
  type ClusterManagementAddOn,
  type ManagedCluster,
  type NewManagedClusterAddOn,
} from '@orrery/api'
import { definitionReference } from './owner.js'

/**
 * The field manager of the add-ons that placements install. The annotations from the cluster are applied with it, so that one which
 * the cluster no longer has is removed, and those of users stay.
 */
export const ADDON_INSTALL_MANAGER = 'orrery-addon-installation'

/** What the hub applies of an add-on that a placement installs: its owner, and the annotations of its cluster for add-ons. */
export function appliedAddOn(definition: ClusterManagementAddOn, cluster: ManagedCluster): NewManagedClusterAddOn {
  return {
    metadata: {
      namespace: cluster.metadata.name,
      name: definition.metadata.name,
      annotations: addOnAnnotations(cluster),
      ownerReferences: [definitionReference(definition)],
    },
    spec: {},
  }
}

/** The annotations of an object that a cluster and its add-ons share. */
export function addOnAnnotations({ metadata }: Pick<ManagedCluster, 'metadata'>): Record<string, string> {
  const annotations = Object.entries(metadata.annotations ?? {})
  return Object.fromEntries(annotations.filter(([key]) => key.startsWith(ADDON_ANNOTATION_PREFIX)))
}
