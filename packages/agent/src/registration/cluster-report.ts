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

/** Whether the hub finds the clock of the cluster off: then nothing that has a time in it can be believed. */
export function isClockOff({ status }: ManagedCluster): boolean {
  return isConditionFalse(status?.conditions, ManagedClusterCondition.ClockSynced)
}

/**
 * Makes the status of the cluster on the hub what `statusOf` says. Nothing is written while the hub has not let the
 * cluster in, or while the clocks disagree.
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
 * Makes of the cluster on the hub what `change` says. Replaces it as a whole, as long as nobody else changed it: hubs do not
 * let agents patch it. Nothing is written when `change` gives back what it got.
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
