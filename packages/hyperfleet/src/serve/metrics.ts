import { type Clock, systemClock } from '@orrery/kube/clock'
import { MetricRegistry } from '@orrery/kube/metrics'
import type { ExecutionResult } from '../run/execution.js'
import { Deletions } from './deletions.js'

const BUCKETS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120]
const PREFIX = 'hyperfleet_adapter_'

/** The metrics of HyperFleet's adapter framework. */
export class AdapterMetrics {
  readonly registry = new MetricRegistry()
  readonly #events = this.registry.counter({
    name: `${PREFIX}events_processed_total`,
    help: 'Events that were handled, by result.',
    labels: ['status'],
  })
  readonly #duration = this.registry.histogram({
    name: `${PREFIX}event_processing_duration_seconds`,
    help: 'How long events took.',
    buckets: BUCKETS,
  })
  readonly #errors = this.registry.counter({
    name: `${PREFIX}errors_total`,
    help: 'Failed phases of events.',
    labels: ['error_type'],
  })
  readonly #deletions = this.registry.counter({
    name: `${PREFIX}resources_deleted_total`,
    help: 'Resources that were deleted, by result.',
    labels: ['status'],
  })

  readonly #inProgress: Deletions

  constructor({ name, version }: { readonly name: string; readonly version: string }, clock: Clock = systemClock) {
    this.#inProgress = new Deletions(this.registry, PREFIX, clock)
    const labels = ['component', 'version'] as const
    const info = this.registry.gauge({ name: `${PREFIX}build_info`, help: 'The adapter and its version.', labels })
    info.with({ component: name, version }).value = 1
    this.registry.gauge({ name: `${PREFIX}up`, help: '1 while the adapter runs.' }).with({}).value = 1
  }

  /** @param id The HyperFleet resource of the event. */
  observe(id: string, result: ExecutionResult, seconds: number): void {
    this.#inProgress.observe(id, result)
    const skipped = result.skipReason === undefined ? 'success' : 'skipped'
    this.#events.with({ status: result.status === 'failed' ? 'failed' : skipped }).add(1)
    this.#duration.with({}).observe(seconds)
    for (const phase of Object.keys(result.errors)) this.#errors.with({ error_type: phase }).add(1)
    for (const { operation, status } of result.resources) {
      if (operation === 'delete') this.#deletions.with({ status: status === 'failed' ? 'error' : 'success' }).add(1)
    }
  }

  observeInvalid(): void {
    this.#events.with({ status: 'failed' }).add(1)
    this.#errors.with({ error_type: 'invalid_event' }).add(1)
  }
}
