import { MetricRegistry } from '../metrics/registry.js'
import type { Counter, Histogram } from '../metrics/series.js'
import type { Urgency } from './workqueue.js'

/** In seconds, as controller-runtime has them. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
]
const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000]

/** The numbers controller-runtime gives to its urgencies. */
const PRIORITIES: Readonly<Record<Urgency, string>> = { fresh: '0', resync: '-100' }

/** What a controller's gauges show at a moment. */
export interface ControllerGauges {
  readonly depth: Readonly<Record<Urgency, number>>
  readonly activeWorkers: number
  readonly unfinishedSeconds: number
  readonly maxRunSeconds: number
}

export type ReconcileResult = 'success' | 'error' | 'requeue_after'

/** What one controller counts, under the names that dashboards for controller-runtime and client-go know. */
export interface ControllerMetrics {
  readonly results: Readonly<Record<ReconcileResult, Counter>>
  readonly errors: Counter
  readonly reconcileTime: Histogram
  readonly adds: Counter
  readonly retries: Counter
  readonly queueDuration: Histogram
  readonly workDuration: Histogram
  /** Shows gauges from now on. Returns the way to stop; what was counted stays. */
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
    help: 'Reconciles that failed, by controller.',
    labels: ['controller'],
  })
  const reconcileTime = registry.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long reconciles take, by controller.',
    labels: ['controller'],
    buckets: RECONCILE_BUCKETS,
  })
  const adds = registry.counter({
    name: 'workqueue_adds_total',
    help: 'How often an object was added to a queue.',
    labels: ['name', 'controller'],
  })
  const retries = registry.counter({
    name: 'workqueue_retries_total',
    help: 'How often an object was put off, to be tried or looked at again.',
    labels: ['name', 'controller'],
  })
  const queueDuration = registry.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long objects stay in a queue.',
    labels: ['name', 'controller'],
    buckets: QUEUE_BUCKETS,
  })
  const workDuration = registry.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long the work on an object of a queue takes.',
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
    gauge('workqueue_depth', 'How many objects are in a queue.', { ...queue, priority: PRIORITIES[urgency] })
  const fresh = depth('fresh')
  const resync = depth('resync')
  const unfinished = gauge(
    'workqueue_unfinished_work_seconds',
    'How long the work in progress has taken, together. It grows steadily when work is stuck.',
    queue,
  )
  const longest = gauge(
    'workqueue_longest_running_processor_seconds',
    'How long the longest work in progress has taken.',
    queue,
  )
  const limit = gauge(
    'controller_runtime_max_concurrent_reconciles',
    'How many objects a controller works on at the same time at most.',
    { controller },
  )
  const active = gauge('controller_runtime_active_workers', 'How many objects a controller works on.', { controller })
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
