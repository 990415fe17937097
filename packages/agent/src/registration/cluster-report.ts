import { ManagedCluster, ManagedClusterCondition, type ManagedClusterStatus, type NewManagedCluster } from '@orrery/api'
import { isConditionFalse } from '@orrery/kinds/values'
import { type Informers, isConditionTrue, type KubeClient, writeStatus } from '@orrery/kube'
import type { SharedInformer } from '@orrery/kube/informer'
import { retryOnConflict } from '@orrery/kube/write'

/** The informer on the ManagedCluster of an agent, which may see no other. */
export function clusterInformer(informers: Informers, clusterName: string): SharedInformer<ManagedCluster> {
  return informers.of(ManagedCluster, { fieldSelector: `metadata.name=${clusterName}` })
}

/** Whether the hub has accepted the cluster. */
export function isAccepted({ status }: ManagedCluster): boolean {
  return isConditionTrue(status?.conditions, ManagedClusterCondition.HubAccepted)
}

/**
 * Whether the hub reports the clock of the cluster as out of sync: then no time that the cluster reports is reliable.
 */
export function isClockOff({ status }: ManagedCluster): boolean {
  return isConditionFalse(status?.conditions, ManagedClusterCondition.ClockSynced)
}

/**
 * Keeps the status of the ManagedCluster as `statusOf` returns it. Writes nothing unless the cluster is accepted and
 * the clocks agree.
 */
export function reportStatus(
  hub: KubeClient,
  cluster: ManagedCluster,
  statusOf: (current: ManagedCluster) => ManagedClusterStatus,
  signal: AbortSignal,
): Promise<ManagedCluster> {
  const allowed = (current: ManagedCluster) =>
    isAccepted(current) && !isClockOff(current) ? statusOf(current) : current.status
  return writeStatus(hub, ManagedCluster, cluster, allowed, { signal })
}

/**
 * Updates the ManagedCluster with the result of `change`. It replaces the whole object and fails on a conflict,
 * because hubs do not allow agents to patch it. Writes nothing if `change` returns its argument.
 */
export function updateCluster(
  hub: KubeClient,
  cluster: ManagedCluster,
  change: (current: ManagedCluster) => NewManagedCluster,
  signal: AbortSignal,
): Promise<ManagedCluster> {
  const { name } = cluster.metadata
  return retryOnConflict(async (attempt) => {
    const current = attempt === 1 ? cluster : await hub.get(ManagedCluster, { name }, { signal })
    const changed = change(current)
    return changed === current ? current : hub.update(ManagedCluster, changed, { signal })
  })
}
