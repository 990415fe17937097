import { ManagedCluster } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import { always, type ControllerSpec, type Informer, type KubeClient } from '@orrery/kube'
import { HUB_BACKOFF } from './registration-context.js'
import { meanwhile } from './wakes.js'

export interface ClusterCreationContext {
  readonly clusterName: string
  /** The ManagedCluster on the hub, as the bootstrap identity sees it. It may not be allowed to. */
  readonly clusters: Informer<ManagedCluster>
  /** Something that is there at once. */
  readonly base: Informer
  /** Tells the hub of the cluster. */
  readonly createCluster: (hub: KubeClient, signal: AbortSignal) => Promise<ManagedCluster>
  /** Hears of the cluster, as it is on the hub. */
  readonly onSeen: (cluster: ManagedCluster) => void
}

/** Makes sure that the hub knows of the cluster. Whether it lets the cluster in is up to the hub. */
export function clusterCreation(context: ClusterCreationContext): ControllerSpec {
  const { clusterName, clusters, base, createCluster, onSeen } = context
  const ref: ObjectRef = { name: clusterName }
  return {
    name: 'cluster-creation',
    wakes: [always(base, ref), meanwhile(clusters, base, ref)],
    backoff: HUB_BACKOFF,
    async reconcile(_, { client, log, signal }) {
      const known = clusters.synced ? clusters.get(ref) : await client.find(ManagedCluster, ref, { signal })
      if (known !== undefined) return onSeen(known)
      try {
        onSeen(await createCluster(client, signal))
        log.info('the hub was told of this cluster')
      } catch (error) {
        if (!isAlreadyExists(error)) throw error
      }
    },
  }
}
