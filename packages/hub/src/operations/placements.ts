import { PLACEMENT_LABEL, Placement, PlacementDecision } from '@orrery/api'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { decisionGroupsOf, type PlacementRef } from '../placement/index.js'
import { placementNotFound } from './not-found.js'
import { OperationError } from './operation-error.js'

/** The clusters that a placement selects. Throws if there are none. */
export async function placedClusters(
  client: KubeClient,
  placement: PlacementRef,
  call: CallOptions = {},
): Promise<string[]> {
  const { namespace, name } = placement
  await requirePlacement(client, placement, call)
  const clusters = await selectedBy(client, placement, call)
  if (clusters.length === 0)
    throw new OperationError(`placement ${namespace}/${name} has not selected any clusters yet`)
  return clusters
}

/** The clusters that a placement selects now. */
export async function selectedBy(
  client: KubeClient,
  { namespace, name }: PlacementRef,
  call: CallOptions,
): Promise<string[]> {
  const labelSelector = `${PLACEMENT_LABEL}=${name}`
  const { items } = await client.list(PlacementDecision, { ...call, namespace, labelSelector })
  return decisionGroupsOf(items)
    .flatMap(({ clusters }) => clusters)
    .sort()
}

/** Throws if a placement does not exist. */
export async function requirePlacement(client: KubeClient, ref: PlacementRef, call: CallOptions): Promise<void> {
  if ((await client.find(Placement, ref, call)) !== undefined) return
  throw new OperationError(placementNotFound(ref.namespace, ref.name))
}
