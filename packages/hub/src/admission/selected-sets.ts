import { ADDON_FEATURE_LABEL_PREFIX, AGENT_SUBJECT_PREFIX, type ManagedCluster } from '@orrery/api'
import { jsonEqual } from '@orrery/kinds/values'
import { membershipOf } from '../clustersets/membership.js'
import type { HubQueries } from './hub-queries.js'
import type { UserInfo } from './write.js'

/**
 * Whether an agent changes labels of its cluster, other than those that show the state of its add-ons, which is its own
 * to report. Users who are not agents can label clusters as in Open Cluster Management.
 */
export function isRelabelledByAgent(
  cluster: ManagedCluster,
  before: ManagedCluster | undefined,
  user: UserInfo,
): boolean {
  if (before === undefined || !user.username.startsWith(AGENT_SUBJECT_PREFIX)) return false
  return !jsonEqual(ownLabels(before), ownLabels(cluster))
}

/** The names of cluster sets with a label selector that the cluster joins or leaves with its new labels. */
export async function selectedSetsChanged(
  cluster: ManagedCluster,
  before: ManagedCluster,
  queries: HubQueries,
): Promise<string[]> {
  const { labels = {} } = cluster.metadata
  const features = Object.fromEntries(Object.entries(labels).filter(([key]) => isFeature(key)))
  const former = { ...before, metadata: { ...before.metadata, labels: { ...ownLabels(before), ...features } } }
  const selecting = (await queries.clusterSets()).filter(
    ({ spec }) => spec.clusterSelector.selectorType === 'LabelSelector',
  )
  return selecting
    .filter((set) => membershipOf(set)(former) !== membershipOf(set)(cluster))
    .map(({ metadata }) => metadata.name)
}

function ownLabels({ metadata: { labels = {} } }: ManagedCluster): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !isFeature(key)))
}

function isFeature(key: string): boolean {
  return key.startsWith(ADDON_FEATURE_LABEL_PREFIX)
}
