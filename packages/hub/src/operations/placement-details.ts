import {
  ClusterManagementAddOn,
  ManagedClusterSetBinding,
  ManifestWorkReplicaSet,
  Placement,
  PlacementFailover,
} from '@orrery/api'
import { CoreEvent } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { activeOf, returnConditionOf } from '../placement/failover-exclusions.js'
import type { PlacementRef } from '../placement/index.js'
import { itemsIfServed } from '../served-items.js'
import { placementNotFound } from './not-found.js'
import { OperationError } from './operation-error.js'
import { type PlacementOverview, placementOverview } from './placement-overview.js'

/** A placement, where it selects from and who uses it. */
export interface PlacementDetails extends PlacementOverview {
  /** The cluster sets that are bound to its namespace. */
  readonly boundSets: readonly string[]
  /** The objects that use its decisions: `ManifestWorkReplicaSet web`. */
  readonly users: readonly string[]
  /** The PlacementFailovers of the placement. Only the oldest one applies, and is the first. */
  readonly failovers: readonly FailoverOfPlacement[]
  /** Oldest first. */
  readonly events: readonly CoreEvent[]
}

/** A PlacementFailover, as the details of its placement show it. */
export interface FailoverOfPlacement {
  readonly name: string
  readonly isActive: boolean
  /** The clusters that it keeps off the placement. */
  readonly excluded: readonly string[]
  /** When they return: `ClusterHealth above 80 for 5m`. */
  readonly returnCondition: string
}

/** The details of a placement. Throws if it does not exist. */
export async function placementDetails(
  client: KubeClient,
  ref: PlacementRef,
  call: CallOptions = {},
): Promise<PlacementDetails> {
  const { namespace, name } = ref
  const fieldSelector = `involvedObject.kind=${Placement.kind},involvedObject.name=${name}`
  const [overview, bindings, replicaSets, addOns, failovers, events] = await Promise.all([
    placementOverview(client, ref, call),
    client.list(ManagedClusterSetBinding, { ...call, namespace }),
    client.list(ManifestWorkReplicaSet, { ...call, namespace }),
    client.list(ClusterManagementAddOn, call),
    itemsIfServed(client, PlacementFailover, { ...call, namespace }),
    client.list(CoreEvent, { ...call, namespace, fieldSelector }),
  ])
  if (overview === undefined) throw new OperationError(placementNotFound(namespace, name))
  const users = [
    ...replicaSets.items.filter(({ spec }) => spec?.placementRefs.some((one) => one.name === name)),
    ...addOns.items.filter(({ spec }) => spec.installStrategy.placements?.some((one) => isSame(one, ref))),
  ]
  return {
    ...overview,
    boundSets: bindings.items.map(({ metadata }) => metadata.name).sort(),
    users: users.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(),
    failovers: failoversOf(failovers.filter(({ spec }) => spec.placementRef.name === name)),
    events: events.items.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1)),
  }
}

function failoversOf(failovers: readonly PlacementFailover[]): FailoverOfPlacement[] {
  const active = activeOf(failovers)
  return failovers
    .map((failover) => ({
      name: failover.metadata.name,
      isActive: failover === active,
      excluded: (failover.status?.excluded ?? []).map(({ clusterName }) => clusterName).sort(),
      returnCondition: returnConditionOf(failover),
    }))
    .sort((a, b) => Number(b.isActive) - Number(a.isActive) || (a.name < b.name ? -1 : 1))
}

function isSame(one: PlacementRef, other: PlacementRef): boolean {
  return one.namespace === other.namespace && one.name === other.name
}

function timeOf({ lastTimestamp, eventTime, metadata }: CoreEvent): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? ''
}
