import { PLACEMENT_LABEL, Placement, PlacementDecision, type PlacementStatus } from '@orrery/api'
import type { KubeClient } from '@orrery/kube'

/** What a scheduler has written for one placement, without identifiers, times, reasons and scores of decisions. */
export interface Outcome {
  /** OCM leaves out 0. */
  readonly numberOfSelectedClusters: number
  readonly decisionGroups: PlacementStatus['decisionGroups']
  readonly conditions: readonly {
    readonly type: string
    readonly status: string
    readonly reason: string
    readonly message: string
  }[]
  readonly decisions: readonly Decision[]
}

interface Decision {
  readonly name: string
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly owners: readonly object[]
  readonly clusters: readonly string[]
}

/** The outcomes of all placements of a hub, by `namespace/name`. */
export async function outcomesOf(client: KubeClient): Promise<Map<string, Outcome>> {
  const [placements, decisions] = await Promise.all([client.list(Placement), client.list(PlacementDecision)])
  const byPlacement = new Map<string, PlacementDecision[]>()
  for (const decision of decisions.items) {
    const key = `${decision.metadata.namespace}/${decision.metadata.labels?.[PLACEMENT_LABEL]}`
    byPlacement.set(key, [...(byPlacement.get(key) ?? []), decision])
  }
  return new Map(
    placements.items.map((placement) => {
      const key = `${placement.metadata.namespace}/${placement.metadata.name}`
      return [key, outcomeOf(placement, byPlacement.get(key) ?? [])]
    }),
  )
}

function outcomeOf(placement: Placement, decisions: readonly PlacementDecision[]): Outcome {
  const { numberOfSelectedClusters = 0, decisionGroups = [], conditions = [] } = placement.status ?? {}
  return {
    numberOfSelectedClusters,
    decisionGroups,
    conditions: conditions.map(({ type, status, reason = '', message = '' }) => ({ type, status, reason, message })),
    decisions: decisions.map((decision) => decisionOf(decision, placement)).sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

function decisionOf({ metadata, status }: PlacementDecision, placement: Placement): Decision {
  return {
    name: metadata.name,
    labels: metadata.labels,
    owners: (metadata.ownerReferences ?? []).map(({ uid, ...owner }) => ({
      ...owner,
      isPlacement: uid === placement.metadata.uid,
    })),
    clusters: (status?.decisions ?? []).map(({ clusterName }) => clusterName),
  }
}
