import { CLUSTER_SET_LABEL, type ManagedCluster, type ManagedClusterSet } from '@orrery/api'
import { labelSelectorFrom, ParseError } from '@orrery/kinds/values'

type Membership = (cluster: ManagedCluster) => boolean

/** Selectors can have thousands of values, and each change of a cluster asks all sets, so they are compiled once. */
const memberships = new WeakMap<ManagedClusterSet, Membership>()

/** Whether a cluster is in a set. A selector that is not valid selects no clusters. */
export function membershipOf(set: ManagedClusterSet): Membership {
  let membership = memberships.get(set)
  if (membership === undefined) {
    membership = newMembership(set)
    memberships.set(set, membership)
  }
  return membership
}

function newMembership({ metadata, spec }: ManagedClusterSet): Membership {
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
