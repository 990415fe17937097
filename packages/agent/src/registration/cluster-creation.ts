import { ManagedCluster } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import { always, type ControllerSpec, type Informer, type KubeClient } from '@orrery/kube'
import { HUB_BACKOFF } from './registration-context.js'
import { meanwhile } from './wakes.js'

export interface ClusterCreationContext {
  readonly clusterName: string
  /** The ManagedCluster, read with the bootstrap credentials. They may not allow it. */
  readonly clusters: Informer<ManagedCluster>
  /** An informer that always syncs. */
  readonly base: Informer
  /** Creates the ManagedCluster. */
  readonly createCluster: (hub: KubeClient, signal: AbortSignal) => Promise<ManagedCluster>
  /** Called with the ManagedCluster on the hub. */
  readonly onSeen: (cluster: ManagedCluster) => void
}

/** Ensures that the ManagedCluster exists. An administrator of the hub accepts it. */
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
        log.info('ManagedCluster created on the hub')
      } catch (error) {
        if (!isAlreadyExists(error)) throw error
      }
    },
  }
}
