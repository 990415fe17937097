import { addProcessMetrics, Gauge, MetricRegistry } from '@orrery/kube/metrics'
import type { Catalog } from '../registry/catalog.js'
import type { Store } from '../store/types.js'
import type { WatchHub } from '../watch/types.js'

/** Returns a registry with metrics of the process, the store and the watches, read on request. */
export function serverMetrics(store: Store, catalog: Catalog, hub: WatchHub): MetricRegistry {
  const metrics = new MetricRegistry()
  addProcessMetrics(metrics)
  const gauge = (name: string, help: string) => metrics.gauge({ name, help }).with({})
  const watchers = gauge('apiserver_registered_watchers', 'Open watches.')
  const revision = gauge('orrery_store_revision', 'The newest durable revision.')
  const compacted = gauge('orrery_store_compacted_revision', 'The compacted revision.')
  const objects = metrics.gauge({
    name: 'apiserver_resource_objects',
    help: 'Stored objects by resource.',
    labels: ['group', 'resource'],
  })
  metrics.beforeRender(() => {
    watchers.value = hub.size
    revision.value = store.revision
    compacted.value = store.compactedRevision
    objects.replace(objectCounts(store, catalog))
  })
  return metrics
}

function* objectCounts(store: Store, catalog: Catalog) {
  for (const { group, plural, version, storage } of catalog.resources()) {
    // Events are stored once and served by two groups.
    if (version !== storage.version || group === 'events.k8s.io') continue
    const count = store.count(storage.bucket)
    if (count > 0) yield [{ group, resource: plural }, new Gauge(count)] as const
  }
}
