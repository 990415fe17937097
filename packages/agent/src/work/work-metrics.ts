import { type ManifestWork, WorkCondition } from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import type { Informer } from '@orrery/kube'
import type { MetricRegistry } from '@orrery/kube/metrics'

const STATES = ['True', 'False', 'Unknown'] as const

/** Adds a metric with the number of works by state. Returns a function that removes it. */
export function addWorkMetrics(registry: MetricRegistry, works: Informer<ManifestWork>): () => void {
  const family = registry.gauge({
    name: 'orrery_agent_manifest_works',
    help: 'Works of the cluster, by whether they are applied and whether their objects are available.',
    labels: ['applied', 'available'],
  })
  const labels = STATES.flatMap((applied) => STATES.map((available) => ({ applied, available })))
  const stop = registry.beforeRender(() => {
    for (const state of labels) family.with(state).value = 0
    for (const { status } of works.list()) {
      const stateOf = (type: WorkCondition) => findCondition(status?.conditions, type)?.status ?? 'Unknown'
      family.with({ applied: stateOf(WorkCondition.Applied), available: stateOf(WorkCondition.Available) }).value++
    }
  })
  return () => {
    stop()
    for (const state of labels) family.remove(state)
  }
}
