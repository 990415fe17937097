import { Histogram } from '@orrery/kube/metrics'
import type { Rejection } from './priority-level.js'

/** Upper bounds in seconds: kube-apiserver's own. */
export const WAIT_BUCKETS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]

/** Those who were refused at once did not wait. */
const AT_ONCE: ReadonlySet<Rejection | undefined> = new Set<Rejection>(['queue-full', 'concurrency-limit'])

/** What one flow schema has seen. */
export class SchemaCounts {
  readonly schema: string
  readonly level: string
  dispatched = 0
  executing = 0
  waiting = 0
  readonly rejected = new Map<Rejection, number>()
  /** How long requests waited that were served after it, and that were not. */
  readonly waits = new Map<boolean, Histogram>()

  constructor(schema: string, level: string) {
    this.schema = schema
    this.level = level
  }

  /** Counts a request that had to wait, and why it was not served, if so. */
  waited(seconds: number, rejection: Rejection | undefined): void {
    if (rejection !== undefined) this.rejected.set(rejection, (this.rejected.get(rejection) ?? 0) + 1)
    if (AT_ONCE.has(rejection)) return
    const isServed = rejection === undefined
    const waits = this.waits.get(isServed) ?? new Histogram(WAIT_BUCKETS)
    this.waits.set(isServed, waits)
    waits.observe(seconds)
  }
}
