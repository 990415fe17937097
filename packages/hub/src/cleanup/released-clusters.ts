import { CLUSTER_RESOURCES_FINALIZER, ManagedCluster } from '@orrery/api'
import { type ControllerSpec, each, hasFinalizer, removeFinalizer } from '@orrery/kube'
import type { HubContext } from '../context.js'

/** Removes the finalizer of the resource cleanup from clusters, after the feature gate was turned off. */
export function releasedClusters({ client, informers }: HubContext): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
  return {
    name: 'released-clusters',
    wakes: [each(clusters, undefined, { when: ({ type }) => type === 'added' })],
    async reconcile(ref, { signal }) {
      const cluster = clusters.get(ref)
      if (cluster === undefined || !hasFinalizer(cluster, CLUSTER_RESOURCES_FINALIZER)) return
      await removeFinalizer(client, ManagedCluster, cluster, CLUSTER_RESOURCES_FINALIZER, { signal })
    },
  }
}
