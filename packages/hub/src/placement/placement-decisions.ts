import { PLACEMENT_LABEL, Placement, PlacementDecision } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import { each, type Informer, type Informers, type KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import type { Wake } from '@orrery/kube/controller'
import { type PlacementView, settled, viewPlacement } from './placement-view.js'

/** A placement. */
export interface PlacementRef {
  readonly namespace: string
  readonly name: string
}

const BY_PLACEMENT = 'placement'
const BY_CLUSTER = 'cluster'

/**
 * The decisions of all placements, for every part that acts on the clusters of a placement. It corresponds to
 * `PlacementDecisionClustersTracker` of Open Cluster Management's SDK.
 */
export class PlacementDecisions {
  readonly #placements: Informer<Placement>
  readonly #decisions: Informer<PlacementDecision>

  constructor(informers: Informers) {
    this.#placements = informers.of(Placement)
    this.#decisions = informers.of(PlacementDecision)
    this.#decisions.addIndex(BY_PLACEMENT, placementKeys)
    this.#decisions.addIndex(BY_CLUSTER, clusterNames)
  }

  /** The decisions of a placement, as informers have them. */
  view(ref: PlacementRef): PlacementView {
    return viewPlacement(this.#placements.get(ref), this.#decisions.byIndex(BY_PLACEMENT, keyOf(ref)))
  }

  /** The placements that select a cluster. */
  placementsOf(cluster: string): PlacementRef[] {
    return this.#decisions.byIndex(BY_CLUSTER, cluster).map(placementOf)
  }

  /** Wakes a controller for the objects that use a placement, when the placement or one of its decisions changes. */
  wakes(usersOf: (placement: PlacementRef) => Iterable<ObjectRef>): Wake[] {
    return [
      each(this.#placements, ({ metadata }) => usersOf(metadata)),
      each(this.#decisions, (decision) => usersOf(placementOf(decision))),
    ]
  }
}

/**
 * The decisions of a placement as the API server has them now. Use it before something is deleted because a cluster is no
 * longer selected: informers lag behind, each by another time.
 */
export async function readPlacement(
  client: KubeClient,
  { namespace, name }: PlacementRef,
  now: Date,
  call: CallOptions,
): Promise<PlacementView> {
  const labelSelector = `${PLACEMENT_LABEL}=${name}`
  const { items } = await client.list(PlacementDecision, { namespace, labelSelector, ...call })
  const placement = await client.find(Placement, { namespace, name }, call)
  return settled(viewPlacement(placement, items), placement === undefined ? items : [placement, ...items], now)
}

function placementOf({ metadata: { namespace, labels } }: PlacementDecision): PlacementRef {
  return { namespace, name: labels?.[PLACEMENT_LABEL] ?? '' }
}

/** The functions of the indexes: the same for all users of an informer. */
function placementKeys(decision: PlacementDecision): string[] {
  return [keyOf(placementOf(decision))]
}

function clusterNames({ status }: PlacementDecision): string[] {
  return (status?.decisions ?? []).map(({ clusterName }) => clusterName)
}
