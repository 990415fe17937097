import type { Clock } from '@orrery/kube/clock'
import type { MetricRegistry } from '@orrery/kube/metrics'

/** From a microsecond to a quarter of an hour. */
const BUCKETS = Array.from({ length: 10 }, (_, power) => 10 ** (power - 6))
const NAME = 'placement_scheduling'

/** The durations of scheduling, with the metric names of Open Cluster Management's placement controller. */
export class SchedulingMetrics {
  readonly #clock: Clock
  readonly #scheduling
  readonly #bind

  constructor(metrics: MetricRegistry, clock: Clock) {
    this.#clock = clock
    const histogram = (name: string, help: string) =>
      metrics
        .histogram({ name: `scheduling_${name}_duration_seconds`, help, labels: ['name'], buckets: BUCKETS })
        .with({ name: NAME })
    this.#scheduling = histogram('scheduling', 'How long it takes to schedule a placement, in seconds.')
    this.#bind = histogram('bind', 'How long it takes to write the decisions of a placement, in seconds.')
  }

  /** Measures a computation. */
  scheduling<T>(compute: () => T): T {
    const start = this.#clock.elapsed()
    const result = compute()
    this.#scheduling.observe((this.#clock.elapsed() - start) / 1_000)
    return result
  }

  /** Measures a write. */
  async bind<T>(write: () => Promise<T>): Promise<T> {
    const start = this.#clock.elapsed()
    const result = await write()
    this.#bind.observe((this.#clock.elapsed() - start) / 1_000)
    return result
  }
}
