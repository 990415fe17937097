import {
  ManifestWork,
  type ManifestWorkReplicaSet,
  PLACEMENT_LABEL,
  Placement,
  PlacementDecision,
  REPLICA_SET_PLACEMENT_LABEL,
  WorkCondition,
} from '@orrery/api'
import { isConditionTrue } from '@orrery/kinds/values'
import { type CallOptions, isBeingDeleted, type KubeClient } from '@orrery/kube'
import type { Members } from './members.js'
import { clustersOf, isSilent, type PlacementView, settled, viewPlacement } from './placements.js'

/** The works whose clusters no placement wants to have one any more, or may not want to once it is settled. */
export function departedWorks(works: readonly ManifestWork[], placements: readonly PlacementView[]): ManifestWork[] {
  const views = new Map(placements.map((view) => [view.reference.name, view]))
  const decided = new Set(placements.flatMap(clustersOf))
  return works.filter((work) => {
    if (isBeingDeleted(work) || decided.has(work.metadata.namespace)) return false
    const view = views.get(work.metadata.labels?.[REPLICA_SET_PLACEMENT_LABEL] ?? '')
    return view === undefined || !isSilent(view)
  })
}

/** The works that have to go, and when to look again at those that may have to. */
export interface Departures {
  readonly works: readonly ManifestWork[]
  readonly recheckAt: Date | undefined
}

/** Which of some works have to go now, by what placements say at this moment. */
export function confirmDepartures(works: readonly ManifestWork[], live: readonly PlacementView[]): Departures {
  const unsettled = new Map(
    live.filter(({ state }) => state === 'unsettled').map((view) => [view.reference.name, view]),
  )
  const departed = departedWorks(works, live)
  const placementOf = ({ metadata }: ManifestWork) => metadata.labels?.[REPLICA_SET_PLACEMENT_LABEL] ?? ''
  const open = departed.flatMap((work) => unsettled.get(placementOf(work))?.settledAt ?? [])
  return {
    works: departed.filter((work) => !unsettled.has(placementOf(work))),
    recheckAt: open.reduce<Date | undefined>(
      (first, at) => (first !== undefined && first < at ? first : at),
      undefined,
    ),
  }
}

/** Works of clusters that have another of the same replica set: one that is applied, so that nothing goes with these. */
export function surplusWorks(works: readonly ManifestWork[], members: Members): ManifestWork[] {
  return works.filter((work) => {
    const kept = members.get(work.metadata.namespace)?.work
    if (kept === undefined || kept.metadata.uid === work.metadata.uid || isBeingDeleted(work)) return false
    return isConditionTrue(kept.status?.conditions, WorkCondition.Applied)
  })
}

/**
 * The placements of a replica set as they are at this moment. To delete a work is to delete what it put on its cluster:
 * what informers hold may be some events old, of the one kind more than of the other.
 */
export function livePlacements(
  client: KubeClient,
  { metadata: { namespace }, spec }: ManifestWorkReplicaSet,
  now: Date,
  call: CallOptions,
): Promise<PlacementView[]> {
  return Promise.all(
    (spec?.placementRefs ?? []).map(async (reference) => {
      const labelSelector = `${PLACEMENT_LABEL}=${reference.name}`
      const { items } = await client.list(PlacementDecision, { namespace, labelSelector, ...call })
      const placement = await client.find(Placement, { namespace, name: reference.name }, call)
      const view = viewPlacement(reference, placement, items)
      return settled(view, placement === undefined ? items : [placement, ...items], now)
    }),
  )
}

/** Deletes a work, and what it put on its cluster with it. */
export function deleteWork(client: KubeClient, { metadata }: ManifestWork, call: CallOptions): Promise<void> {
  return client.ensureDeleted(ManifestWork, metadata, { preconditions: { uid: metadata.uid }, ...call })
}
