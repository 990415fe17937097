import { DECISION_GROUP_INDEX_LABEL, DECISION_GROUP_NAME_LABEL, type PlacementDecision } from '@orrery/api'
import type { ClusterGroup } from './types.js'

/** The groups that the decisions of one placement are in. A cluster that is named twice counts once, where it is first. */
export function groupsOf(decisions: readonly PlacementDecision[]): ClusterGroup[] {
  const groups = new Map<number, { index: number; name: string; clusters: string[] }>()
  const seen = new Set<string>()
  const inOrder = [...decisions].sort((a, b) => indexOf(a) - indexOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1))
  for (const decision of inOrder) {
    const index = indexOf(decision)
    const name = decision.metadata.labels?.[DECISION_GROUP_NAME_LABEL] ?? ''
    const group = groups.get(index) ?? { index, name, clusters: [] }
    for (const { clusterName } of decision.status?.decisions ?? []) {
      if (clusterName === '' || seen.has(clusterName)) continue
      seen.add(clusterName)
      group.clusters.push(clusterName)
    }
    if (group.clusters.length > 0) groups.set(index, group)
  }
  return [...groups.values()]
}

/** Decisions without a group are in the first. */
function indexOf({ metadata: { labels } }: PlacementDecision): number {
  const text = labels?.[DECISION_GROUP_INDEX_LABEL] ?? ''
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : 0
}
