import { DECISION_GROUP_INDEX_LABEL, DECISION_GROUP_NAME_LABEL, type PlacementDecision } from '@orrery/api'

/** A decision group of a placement. */
export interface DecisionGroup {
  /** Its position among the groups, from 0. */
  readonly index: number
  /** Empty for a group without a name. */
  readonly name: string
  readonly clusters: readonly string[]
}

/** The decision groups of one placement, in order. A cluster that occurs twice counts where it occurs first. */
export function decisionGroupsOf(decisions: readonly PlacementDecision[]): DecisionGroup[] {
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

/** Decisions without a group belong to the first one. */
function indexOf({ metadata: { labels } }: PlacementDecision): number {
  const text = labels?.[DECISION_GROUP_INDEX_LABEL] ?? ''
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : 0
}
