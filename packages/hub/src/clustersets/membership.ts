import { CLUSTER_SET_LABEL, type ManagedCluster, type ManagedClusterSet } from '@orrery/api'
import { labelSelectorFrom, ParseError } from '@orrery/kinds/values'

/** Whether a cluster is in a set. A selector that is not valid selects no clusters. */
export function membershipOf({ metadata, spec }: ManagedClusterSet): (cluster: ManagedCluster) => boolean {
  const { selectorType, labelSelector } = spec.clusterSelector
  if (selectorType !== 'LabelSelector') {
    return (cluster) => cluster.metadata.labels?.[CLUSTER_SET_LABEL] === metadata.name
  }
  try {
    const selector = labelSelectorFrom(labelSelector)
    return (cluster) => selector.matches(cluster.metadata.labels ?? {})
  } catch (error) {
    if (error instanceof ParseError) return () => false
    throw error
  }
}

/** The cluster sets that a cluster is in. */
export function setsOf(cluster: ManagedCluster, sets: readonly ManagedClusterSet[]): ManagedClusterSet[] {
  return sets.filter((set) => membershipOf(set)(cluster))
}
