import {
  type ClusterDecision,
  ManagedCluster,
  ManagedClusterCondition,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  type NewPlacement,
  PLACEMENT_LABEL,
  Placement,
  PlacementDecision,
  type Taint,
} from '@orrery/api'
import { type ConditionStatus, Namespace } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { writeConditions } from '@orrery/kube'
import type { HubServer } from './hub-server.js'

export const APPS = 'apps'

/** Creates the cluster set `prod`, by the label of the same name, bound to the namespace `apps`, with clusters. */
export async function withProdSet(hub: HubServer, ...clusters: string[]): Promise<void> {
  const labelSelector = { matchLabels: { prod: 'yes' } }
  await hub.client.create(Namespace, { metadata: { name: APPS } })
  await hub.client.create(ManagedClusterSet, {
    metadata: { name: 'prod' },
    spec: { clusterSelector: { selectorType: 'LabelSelector', labelSelector } },
  })
  await hub.client.create(ManagedClusterSetBinding, {
    metadata: { namespace: APPS, name: 'prod' },
    spec: { clusterSet: 'prod' },
  })
  await Promise.all(clusters.map((name) => prodCluster(hub, name)))
}

/** Creates an available cluster of the set. */
export async function prodCluster(hub: HubServer, name: string, labels: Record<string, string> = {}): Promise<void> {
  const metadata = { name, labels: { prod: 'yes', ...labels } }
  const cluster = await hub.client.create(ManagedCluster, { metadata, spec: {} })
  await makeAvailable(hub, cluster, 'True')
  await hub.when(ManagedCluster, { name }, ({ spec }) => (spec?.taints ?? []).length === 0)
}

/** Reports whether a cluster is available, as its agent or the hub does. */
export function makeAvailable(
  hub: HubServer,
  cluster: ManagedCluster,
  status: ConditionStatus,
): Promise<ManagedCluster> {
  const finding = { type: ManagedClusterCondition.Available, status, reason: 'Reported', message: 'reported' }
  return writeConditions(hub.client, ManagedCluster, cluster, [finding], { clock: hub.clock })
}

export function label(hub: HubServer, cluster: string, labels: Record<string, string | null>): Promise<ManagedCluster> {
  return hub.client.patch(ManagedCluster, { name: cluster }, { metadata: { labels } })
}

export function taint(hub: HubServer, cluster: string, ...taints: Taint[]): Promise<ManagedCluster> {
  return hub.client.patch(ManagedCluster, { name: cluster }, { spec: { taints: taints.map((one) => ({ ...one })) } })
}

export function place(hub: HubServer, name: string, spec: NewPlacement['spec'] = {}): Promise<Placement> {
  return hub.client.create(Placement, { metadata: { namespace: APPS, name }, spec })
}

/** The PlacementDecisions of a placement, by name. */
export async function decisionObjects(hub: HubServer, placement: string): Promise<PlacementDecision[]> {
  const labelSelector = `${PLACEMENT_LABEL}=${placement}`
  const { items } = await hub.client.list(PlacementDecision, { namespace: APPS, labelSelector })
  return items.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}

/** The decisions of a placement, when they are for exactly these clusters and the status counts them. */
export async function whenDecided(
  hub: HubServer,
  placement: string,
  ...clusters: readonly string[]
): Promise<ClusterDecision[]> {
  let found: ClusterDecision[] = []
  const names = () => found.map(({ clusterName }) => clusterName)
  try {
    await hub.eventually(`placement ${placement} selects ${clusters.join(', ')}`, async () => {
      found = (await decisionObjects(hub, placement)).flatMap(({ status }) => status?.decisions ?? [])
      if (names().sort().join() !== [...clusters].sort().join()) return false
      const { status } = await hub.client.get(Placement, { namespace: APPS, name: placement })
      return status?.numberOfSelectedClusters === clusters.length
    })
  } catch (error) {
    throw new Error(`${(error as Error).message}, but it selects ${names().join(', ')}`)
  }
  return found
}

/** The reason of the decision for a cluster. */
export function reasonFor(cluster: string, decisions: readonly ClusterDecision[]): string | undefined {
  return decisions.find(({ clusterName }) => clusterName === cluster)?.reason
}

/** Waits until the condition PlacementSatisfied has this reason. */
export function whenSatisfied(hub: HubServer, placement: string, reason: string): Promise<Placement> {
  return hub.when(Placement, { namespace: APPS, name: placement }, ({ status }) => {
    return findCondition(status?.conditions, 'PlacementSatisfied')?.reason === reason
  })
}
