import { ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { awaiting, watchOne } from '@orrery/kube/informer'
import { OperationError } from './operation-error.js'

/** Starts to detach a cluster: its works and add-ons are deleted first. False if it does not exist on the hub. */
export async function beginDetaching(client: KubeClient, name: string, options: CallOptions = {}): Promise<boolean> {
  const cluster = await client.find(ManagedCluster, { name }, options)
  if (cluster === undefined) return false
  if (cluster.metadata.deletionTimestamp === undefined) {
    await client.ensureDeleted(ManagedCluster, { name }, { ...options, preconditions: { uid: cluster.metadata.uid } })
  }
  return true
}

/** How to wait for a cluster to be detached. */
export interface DetachmentWait {
  /** Called with what is left to delete, each time that changes. */
  readonly onRemains: (message: string) => void
  readonly signal: AbortSignal
}

/** Resolves when a cluster is detached. */
export async function whenDetached(client: KubeClient, name: string, wait: DetachmentWait): Promise<void> {
  let last: string | undefined
  await awaiting(
    client,
    (informers, onChange) => {
      const clusterNow = watchOne(informers, ManagedCluster, { name }, onChange)
      return () => {
        const cluster = clusterNow()
        if (cluster === undefined) return true
        if (cluster.metadata.deletionTimestamp === undefined) {
          throw new OperationError(`cluster ${name} has joined again: its agent still has bootstrap credentials`)
        }
        const remains = remainsOf(cluster)
        if (remains !== undefined && remains !== last) wait.onRemains(remains)
        last = remains
        return undefined
      }
    },
    wait.signal,
  )
}

/** What is left to delete before a cluster is detached, as the hub reports it. */
export function remainsOf({ status }: ManagedCluster): string | undefined {
  const deleting = findCondition(status?.conditions, ManagedClusterCondition.Deleting)
  return deleting?.status === 'False' ? deleting.message : undefined
}
