import { PLACEMENT_LABEL, Placement, PlacementDecision } from '@orrery/api'
import type { CallOptions, KubeClient } from '@orrery/kube'
import type { PlacementRef } from '../placement/index.js'
import { OperationError } from './operation-error.js'

/** The clusters that a placement has chosen. */
export async function placedClusters(
  client: KubeClient,
  placement: PlacementRef,
  call: CallOptions = {},
): Promise<string[]> {
  const { namespace, name } = placement
  await thePlacement(client, placement, call)
  const clusters = await chosenClusters(client, placement, call)
  if (clusters.length === 0) throw new OperationError(`placement ${namespace}/${name} has chosen no cluster yet`)
  return clusters
}

/** The clusters that a placement has chosen by now, if there are any. */
export async function chosenClusters(
  client: KubeClient,
  { namespace, name }: PlacementRef,
  call: CallOptions,
): Promise<string[]> {
  const labelSelector = `${PLACEMENT_LABEL}=${name}`
  const { items } = await client.list(PlacementDecision, { ...call, namespace, labelSelector })
  const clusters = items.flatMap(({ status }) => status?.decisions?.map(({ clusterName }) => clusterName) ?? [])
  return [...new Set(clusters)].sort()
}

/** Makes sure that there is such a placement. */
export async function thePlacement(client: KubeClient, ref: PlacementRef, call: CallOptions): Promise<void> {
  if ((await client.find(Placement, ref, call)) !== undefined) return
  throw new OperationError(`there is no placement ${ref.namespace}/${ref.name} on the hub`)
}
