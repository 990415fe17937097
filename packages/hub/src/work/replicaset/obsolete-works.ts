import { ManifestWork, type ManifestWorkReplicaSet, REPLICA_SET_PLACEMENT_LABEL, WorkCondition } from '@orrery/api'
import { isConditionTrue } from '@orrery/kinds/values'
import { isBeingDeleted, type KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { hasDecisions, readPlacement, selectedClusters } from '../../placement/index.js'
import type { Members } from './members.js'
import { type ReferencedPlacement, referencesOf } from './referenced-placement.js'

/** The works of clusters that no placement selects any more, as far as the decisions are known. */
export function obsoleteWorks(
  works: readonly ManifestWork[],
  placements: readonly ReferencedPlacement[],
): ManifestWork[] {
  const views = new Map(placements.map((view) => [view.reference.name, view]))
  const selected = new Set(placements.flatMap(selectedClusters))
  return works.filter((work) => {
    if (isBeingDeleted(work) || selected.has(work.metadata.namespace)) return false
    const view = views.get(work.metadata.labels?.[REPLICA_SET_PLACEMENT_LABEL] ?? '')
    return view === undefined || hasDecisions(view)
  })
}

/** The works to delete now, and when to check again those that may have to be deleted later. */
export interface ObsoleteWorks {
  readonly works: readonly ManifestWork[]
  readonly recheckAt: Date | undefined
}

/** Which of some works to delete now, by the decisions that were just read. */
export function confirmObsolete(works: readonly ManifestWork[], live: readonly ReferencedPlacement[]): ObsoleteWorks {
  const updating = new Map(live.filter(({ state }) => state === 'updating').map((view) => [view.reference.name, view]))
  const obsolete = obsoleteWorks(works, live)
  const placementOf = ({ metadata }: ManifestWork) => metadata.labels?.[REPLICA_SET_PLACEMENT_LABEL] ?? ''
  const later = obsolete.flatMap((work) => updating.get(placementOf(work))?.settledAt ?? [])
  return {
    works: obsolete.filter((work) => !updating.has(placementOf(work))),
    recheckAt: later.reduce<Date | undefined>(
      (first, at) => (first !== undefined && first < at ? first : at),
      undefined,
    ),
  }
}

/** Works of clusters with another work of the replica set that is applied, so that deleting these removes no objects. */
export function surplusWorks(works: readonly ManifestWork[], members: Members): ManifestWork[] {
  return works.filter((work) => {
    const kept = members.get(work.metadata.namespace)?.work
    if (kept === undefined || kept.metadata.uid === work.metadata.uid || isBeingDeleted(work)) return false
    return isConditionTrue(kept.status?.conditions, WorkCondition.Applied)
  })
}

/**
 * Reads the placements of a replica set and their decisions. Deleting a work deletes its objects on the cluster, so that the
 * informers' view, which lags behind, is not enough.
 */
export function livePlacements(
  client: KubeClient,
  set: ManifestWorkReplicaSet,
  now: Date,
  call: CallOptions,
): Promise<ReferencedPlacement[]> {
  const { namespace } = set.metadata
  return Promise.all(
    referencesOf(set).map(async (reference) => ({
      reference,
      ...(await readPlacement(client, { namespace, name: reference.name }, now, call)),
    })),
  )
}

/** Deletes a work, and with it its objects on the cluster. */
export function deleteWork(client: KubeClient, { metadata }: ManifestWork, call: CallOptions): Promise<void> {
  return client.ensureDeleted(ManifestWork, metadata, { preconditions: { uid: metadata.uid }, ...call })
}
