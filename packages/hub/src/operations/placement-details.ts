import { ClusterManagementAddOn, ManagedClusterSetBinding, ManifestWorkReplicaSet, Placement } from '@orrery/api'
import { CoreEvent } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import type { PlacementRef } from '../placement/index.js'
import { placementNotFound } from './not-found.js'
import { OperationError } from './operation-error.js'
import { type PlacementOverview, placementOverview } from './placement-overview.js'

/** A placement, where it selects from and who uses it. */
export interface PlacementDetails extends PlacementOverview {
  /** The cluster sets that are bound to its namespace. */
  readonly boundSets: readonly string[]
  /** The objects that use its decisions: `ManifestWorkReplicaSet web`. */
  readonly users: readonly string[]
  /** Oldest first. */
  readonly events: readonly CoreEvent[]
}

/** The details of a placement. Throws if it does not exist. */
export async function placementDetails(
  client: KubeClient,
  ref: PlacementRef,
  call: CallOptions = {},
): Promise<PlacementDetails> {
  const { namespace, name } = ref
  const fieldSelector = `involvedObject.kind=${Placement.kind},involvedObject.name=${name}`
  const [overview, bindings, replicaSets, addOns, events] = await Promise.all([
    placementOverview(client, ref, call),
    client.list(ManagedClusterSetBinding, { ...call, namespace }),
    client.list(ManifestWorkReplicaSet, { ...call, namespace }),
    client.list(ClusterManagementAddOn, call),
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
    events: events.items.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1)),
  }
}

function isSame(one: PlacementRef, other: PlacementRef): boolean {
  return one.namespace === other.namespace && one.name === other.name
}

function timeOf({ lastTimestamp, eventTime, metadata }: CoreEvent): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? ''
}
