import { type ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { findCondition, type Informer, type MetricRegistry } from '@orrery/kube'

const STATES = ['True', 'False', 'Unknown'] as const

/** Adds how many clusters there are, by whether they were let in and are available. Returns the way to stop. */
export function addClusterMetrics(registry: MetricRegistry, clusters: Informer<ManagedCluster>): () => void {
  const family = registry.gauge({
    name: 'orrery_hub_managed_clusters',
    help: 'Managed clusters, by whether the hub accepts them and whether they are available.',
    labels: ['accepted', 'available'],
  })
  return registry.beforeRender(() => {
    for (const accepted of ['true', 'false']) {
      for (const available of STATES) family.with({ accepted, available }).value = 0
    }
    for (const { spec, status } of clusters.list()) {
      const accepted = String(spec?.hubAcceptsClient === true)
      const available = findCondition(status?.conditions, ManagedClusterCondition.Available)?.status ?? 'Unknown'
      family.with({ accepted, available }).value++
    }
  })
}
