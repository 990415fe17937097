import type { MetricRegistry } from '@orrery/kube/metrics'
import type { Operation } from '../../kinds/operation.js'
import { OPERATION_TYPES } from '../../wire/operation-types.js'
import { phaseOf } from './operation-state.js'

const DELIVERY_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60, 300, 3600]
const EXECUTION_BUCKETS = [0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900]

export interface QueueMetrics {
  delivered(operation: Operation, now: Date): void
  finished(operation: Operation): void
  expired(operation: Operation): void
}

/** Counts deliveries and results. */
export function queueMetrics(registry: MetricRegistry): QueueMetrics {
  const deliveries = registry.counter({
    name: 'ovim_hub_operation_deliveries_total',
    help: 'Deliveries of operations to agents. attempt is first or repeated.',
    labels: ['type', 'attempt'],
  })
  const delays = registry.histogram({
    name: 'ovim_hub_operation_delivery_seconds',
    help: 'Time from the creation of an operation to its first delivery. Creation times have a resolution of a second.',
    buckets: DELIVERY_BUCKETS,
  })
  const results = registry.counter({
    name: 'ovim_hub_operations_total',
    help: 'Operations that have finished, by phase: Completed, Failed or Expired.',
    labels: ['type', 'phase'],
  })
  const durations = registry.histogram({
    name: 'ovim_hub_operation_execution_seconds',
    help: 'Duration of the execution of operations, as agents report it.',
    labels: ['type'],
    buckets: EXECUTION_BUCKETS,
  })
  // From the start, so that queries see the step from 0 to 1.
  for (const type of OPERATION_TYPES) {
    for (const attempt of ['first', 'repeated']) deliveries.with({ type, attempt })
    for (const phase of ['Completed', 'Failed', 'Expired']) results.with({ type, phase })
  }
  const finished = (operation: Operation) => {
    const { type } = operation.spec
    results.with({ type, phase: phaseOf(operation) }).add()
    const { durationMilliseconds } = operation.status ?? {}
    if (durationMilliseconds !== undefined) durations.with({ type }).observe(durationMilliseconds / 1_000)
  }
  return {
    delivered({ metadata, spec: { type }, status }, now) {
      const isFirst = (status?.attempts ?? 1) === 1
      deliveries.with({ type, attempt: isFirst ? 'first' : 'repeated' }).add()
      if (isFirst) delays.with({}).observe(Math.max(0, now.getTime() - Date.parse(metadata.creationTimestamp)) / 1_000)
    },
    finished,
    expired: finished,
  }
}
