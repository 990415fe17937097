import { clusterStateOf, ManagedCluster } from '@orrery/api'
import type { HubContext } from '../context.js'

const STATES = ['True', 'False', 'Unknown'] as const

/** Adds a metric with the number of clusters, by whether they are accepted and available. */
export function addClusterMetrics({ metrics, informers, signal }: HubContext): void {
  const clusters = informers.of(ManagedCluster)
  const family = metrics.gauge({
    name: 'orrery_hub_managed_clusters',
    help: 'Managed clusters, by whether the hub accepts them and whether they are available.',
    labels: ['accepted', 'available'],
  })
  const stop = metrics.beforeRender(() => {
    for (const accepted of ['true', 'false']) {
      for (const available of STATES) family.with({ accepted, available }).value = 0
    }
    for (const cluster of clusters.list()) {
      const { isAccepted, available } = clusterStateOf(cluster)
      family.with({ accepted: String(isAccepted), available }).value++
    }
  })
  signal.addEventListener('abort', stop, { once: true })
}
