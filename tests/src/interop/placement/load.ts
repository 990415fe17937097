import { AddOnPlacementScore, ManagedCluster, ManagedClusterSet, ManagedClusterSetBinding } from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { Fleet, FleetCluster, FleetScores } from './fleet.js'

/** Keeps a deleted cluster in the API. */
const FINALIZER = 'example.com/keep'

/** Creates the objects of a fleet on a hub. */
export async function loadFleet(client: KubeClient, fleet: Fleet): Promise<void> {
  for (const { name, selector } of fleet.sets) {
    await client.create(ManagedClusterSet, { metadata: { name }, spec: { clusterSelector: selector } })
  }
  for (const [namespace, sets] of Object.entries(fleet.bindings)) {
    await client.create(Namespace, { metadata: { name: namespace } })
    for (const name of sets) {
      await client.create(ManagedClusterSetBinding, { metadata: { namespace, name }, spec: { clusterSet: name } })
    }
  }
  for (const cluster of fleet.clusters) await loadCluster(client, cluster)
}

async function loadCluster(client: KubeClient, cluster: FleetCluster): Promise<void> {
  const { name, labels, isBeingDeleted, spec, status, scores } = cluster
  const finalizers = isBeingDeleted ? [FINALIZER] : []
  await client.create(Namespace, { metadata: { name } })
  await client.create(ManagedCluster, { metadata: { name, labels, finalizers }, spec })
  await client.patch(ManagedCluster, { name }, { status }, { subresource: 'status' })
  if (isBeingDeleted) await client.delete(ManagedCluster, { name })
  for (const one of scores) await loadScores(client, name, one)
}

async function loadScores(client: KubeClient, namespace: string, loaded: FleetScores): Promise<void> {
  const { resource, scores, validUntil } = loaded
  const ref = { namespace, name: resource }
  await client.create(AddOnPlacementScore, { metadata: ref })
  const status = { scores, ...(validUntil !== undefined && { validUntil }) }
  await client.patch(AddOnPlacementScore, ref, { status }, { subresource: 'status' })
}
