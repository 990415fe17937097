import { isObject } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { ExecutionResult } from '../run/execution.js'

const BUCKETS = [1, 5, 10, 30, 60, 120, 300, 600, 1_800]
/** Deletions that no later event ends would fill the memory. */
const MAX_DELETIONS = 10_000

/** Measures how long resources take from the request to delete them until an event finds that they are gone. */
export class Deletions {
  /** The times of the requests, by resource of HyperFleet and of the task. */
  readonly #started = new Map<string, number>()
  readonly #clock: Clock
  readonly #durations
  readonly #inProgress

  constructor(registry: MetricRegistry, prefix: string, clock: Clock) {
    this.#clock = clock
    this.#durations = registry
      .histogram({
        name: `${prefix}resource_deletion_duration_seconds`,
        help: 'Time from the request to delete a resource until it was gone.',
        buckets: BUCKETS,
      })
      .with({})
    this.#inProgress = registry
      .gauge({
        name: `${prefix}resource_deletions_in_progress`,
        help: 'Resources that are being deleted: the request was sent, and they still exist.',
      })
      .with({})
  }

  /** @param id The HyperFleet resource of the event. */
  observe(id: string, { resources, discovered }: ExecutionResult): void {
    for (const { name, operation, status, discoveredState } of resources) {
      const key = `${id}/${name}`
      if (operation !== 'delete') this.#started.delete(key)
      else if (status !== 'failed') {
        if (discoveredState !== undefined && !this.#started.has(key)) this.#begin(key, discoveredState)
        if (discovered[name] === undefined) this.#end(key)
      }
    }
    this.#inProgress.value = this.#started.size
  }

  /** A resource that an earlier process deleted has the time of its request. */
  #begin(key: string, state: unknown): void {
    const metadata = isObject(state) && isObject(state.metadata) ? state.metadata : {}
    const requested = Date.parse(String(metadata.deletionTimestamp ?? ''))
    const now = this.#clock.now().getTime()
    this.#started.set(key, Number.isNaN(requested) ? now : Math.min(requested, now))
    const [oldest] = this.#started.keys()
    if (this.#started.size > MAX_DELETIONS && oldest !== undefined) this.#started.delete(oldest)
  }

  #end(key: string): void {
    const started = this.#started.get(key)
    if (started === undefined) return
    this.#started.delete(key)
    this.#durations.observe((this.#clock.now().getTime() - started) / 1_000)
  }
}
