import { MetricRegistry } from '../metrics/registry.js'
import type { Counter, Histogram } from '../metrics/series.js'
import type { Urgency } from './ready-list.js'

/** In seconds, as in controller-runtime. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
]
const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000]

/** The priorities of controller-runtime. */
const PRIORITIES: Readonly<Record<Urgency, string>> = { fresh: '0', resync: '-100' }

/** The current values of a controller's gauges. */
export interface ControllerGauges {
  readonly depth: Readonly<Record<Urgency, number>>
  readonly activeWorkers: number
  readonly unfinishedSeconds: number
  readonly maxRunSeconds: number
}

export type ReconcileResult = 'success' | 'error' | 'requeue_after'

/** The metrics of one controller, with the names of controller-runtime and client-go. */
export interface ControllerMetrics {
  readonly results: Readonly<Record<ReconcileResult, Counter>>
  readonly errors: Counter
  readonly reconcileTime: Histogram
  readonly adds: Counter
  readonly retries: Counter
  readonly queueDuration: Histogram
  readonly workDuration: Histogram
  /** Adds gauges. Returns a function that removes them; counters stay. */
  showGauges(concurrency: number, read: () => ControllerGauges): () => void
}

export function controllerMetrics(controller: string, registry = new MetricRegistry()): ControllerMetrics {
  const results = registry.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by controller and result.',
    labels: ['controller', 'result'],
  })
  const errors = registry.counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Failed reconciles by controller.',
    labels: ['controller'],
  })
  const reconcileTime = registry.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Duration of reconciles by controller.',
    labels: ['controller'],
    buckets: RECONCILE_BUCKETS,
  })
  const adds = registry.counter({
    name: 'workqueue_adds_total',
    help: 'Additions to a queue.',
    labels: ['name', 'controller'],
  })
  const retries = registry.counter({
    name: 'workqueue_retries_total',
    help: 'Delayed additions to a queue, for retries and requeues.',
    labels: ['name', 'controller'],
  })
  const queueDuration = registry.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Time that objects spend in a queue.',
    labels: ['name', 'controller'],
    buckets: QUEUE_BUCKETS,
  })
  const workDuration = registry.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'Processing time of an object of a queue.',
    labels: ['name', 'controller'],
    buckets: QUEUE_BUCKETS,
  })
  const queue = { name: controller, controller }
  return {
    results: {
      success: results.with({ controller, result: 'success' }),
      error: results.with({ controller, result: 'error' }),
      requeue_after: results.with({ controller, result: 'requeue_after' }),
    },
    errors: errors.with({ controller }),
    reconcileTime: reconcileTime.with({ controller }),
    adds: adds.with(queue),
    retries: retries.with(queue),
    queueDuration: queueDuration.with(queue),
    workDuration: workDuration.with(queue),
    showGauges: (concurrency, read) => showGauges(registry, controller, concurrency, read),
  }
}

function showGauges(
  registry: MetricRegistry,
  controller: string,
  concurrency: number,
  read: () => ControllerGauges,
): () => void {
  const removals: (() => void)[] = []
  const gauge = <const Label extends string>(name: string, help: string, labels: Readonly<Record<Label, string>>) => {
    const family = registry.gauge({ name, help, labels: Object.keys(labels) as Label[] })
    removals.push(() => family.remove(labels))
    return family.with(labels)
  }
  const queue = { name: controller, controller }
  const depth = (urgency: Urgency) =>
    gauge('workqueue_depth', 'Objects in a queue.', { ...queue, priority: PRIORITIES[urgency] })
  const fresh = depth('fresh')
  const resync = depth('resync')
  const unfinished = gauge(
    'workqueue_unfinished_work_seconds',
    'Total duration of the reconciles in progress. It grows steadily when one is stuck.',
    queue,
  )
  const longest = gauge(
    'workqueue_longest_running_processor_seconds',
    'Duration of the longest reconcile in progress.',
    queue,
  )
  const limit = gauge(
    'controller_runtime_max_concurrent_reconciles',
    'Maximum number of concurrent reconciles of a controller.',
    { controller },
  )
  const active = gauge('controller_runtime_active_workers', 'Reconciles in progress of a controller.', { controller })
  limit.value = concurrency
  removals.push(
    registry.beforeRender(() => {
      const now = read()
      fresh.value = now.depth.fresh
      resync.value = now.depth.resync
      unfinished.value = now.unfinishedSeconds
      longest.value = now.maxRunSeconds
      active.value = now.activeWorkers
    }),
  )
  return () => {
    for (const remove of removals) remove()
  }
}
