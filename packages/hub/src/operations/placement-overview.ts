import {
  type ClusterDecision,
  PLACEMENT_LABEL,
  Placement,
  PlacementCondition,
  PlacementDecision,
  SCHEDULING_DISABLED_ANNOTATION,
} from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { type DecisionGroup, decisionGroupsOf, type PlacementRef } from '../placement/index.js'

/** A placement and the clusters that it has selected. */
export interface PlacementOverview {
  readonly namespace: string
  readonly name: string
  readonly placement: Placement
  /** In the order of the decision groups. */
  readonly decisions: readonly ClusterDecision[]
  readonly groups: readonly DecisionGroup[]
  readonly objects: readonly PlacementDecision[]
  /** What is wrong, and how to fix it; undefined if nothing is. */
  readonly problem: string | undefined
}

export interface PlacementFilter extends CallOptions {
  /** Default all namespaces. */
  readonly namespace?: string | undefined
}

/** The placements of a hub, by namespace and name. */
export async function placementOverviews(
  client: KubeClient,
  { namespace, ...call }: PlacementFilter = {},
): Promise<PlacementOverview[]> {
  const [placements, decisions] = await Promise.all([
    client.list(Placement, { ...call, namespace }),
    client.list(PlacementDecision, { ...call, namespace, labelSelector: PLACEMENT_LABEL }),
  ])
  const byPlacement = new Map<string, PlacementDecision[]>()
  for (const decision of decisions.items) {
    const { metadata } = decision
    const key = `${metadata.namespace}/${metadata.labels?.[PLACEMENT_LABEL]}`
    byPlacement.set(key, [...(byPlacement.get(key) ?? []), decision])
  }
  const keyOf = ({ metadata }: Placement) => `${metadata.namespace}/${metadata.name}`
  return placements.items
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map((placement) => overviewOf(placement, byPlacement.get(keyOf(placement)) ?? []))
}

/** One placement; undefined if it does not exist. */
export async function placementOverview(
  client: KubeClient,
  ref: PlacementRef,
  call: CallOptions = {},
): Promise<PlacementOverview | undefined> {
  const { namespace, name } = ref
  const labelSelector = `${PLACEMENT_LABEL}=${name}`
  const [placement, decisions] = await Promise.all([
    client.find(Placement, { namespace, name }, call),
    client.list(PlacementDecision, { ...call, namespace, labelSelector }),
  ])
  return placement && overviewOf(placement, decisions.items)
}

function overviewOf(placement: Placement, objects: readonly PlacementDecision[]): PlacementOverview {
  const groups = decisionGroupsOf(objects)
  const written = new Map<string, ClusterDecision>()
  for (const { status } of objects) for (const one of status?.decisions ?? []) written.set(one.clusterName, one)
  return {
    namespace: placement.metadata.namespace,
    name: placement.metadata.name,
    placement,
    groups,
    decisions: groups.flatMap(({ clusters }) => clusters.flatMap((cluster) => written.get(cluster) ?? [])),
    objects,
    problem: problemOf(placement),
  }
}

function problemOf({ metadata, status }: Placement): string | undefined {
  if (metadata.annotations?.[SCHEDULING_DISABLED_ANNOTATION] === 'true') return undefined
  const misconfigured = findCondition(status?.conditions, PlacementCondition.Misconfigured)
  if (misconfigured?.status === 'True') return misconfigured.message
  const satisfied = findCondition(status?.conditions, PlacementCondition.Satisfied)
  if (satisfied === undefined || satisfied.status === 'True') return undefined
  const where = `--namespace ${metadata.namespace}`
  return `${satisfied.message}: run \`orrery explain placement ${metadata.name} ${where}\` to see why`
}
