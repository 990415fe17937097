import { Histogram } from '@orrery/kube/metrics'
import type { Rejection } from './priority-level.js'

/** Upper bounds in seconds, as in kube-apiserver. */
export const WAIT_BUCKETS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]

/** Requests that were refused immediately did not wait. */
const AT_ONCE: ReadonlySet<Rejection | undefined> = new Set<Rejection>(['queue-full', 'concurrency-limit'])

/** The counts of one flow schema. */
export class SchemaCounts {
  readonly schema: string
  readonly level: string
  dispatched = 0
  executing = 0
  waiting = 0
  readonly rejected = new Map<Rejection, number>()
  /** The waiting times of requests that were served, and of those that were not. */
  readonly waits = new Map<boolean, Histogram>()

  constructor(schema: string, level: string) {
    this.schema = schema
    this.level = level
  }

  /** Counts a request that waited, and why it was not served, if so. */
  waited(seconds: number, rejection: Rejection | undefined): void {
    if (rejection !== undefined) this.rejected.set(rejection, (this.rejected.get(rejection) ?? 0) + 1)
    if (AT_ONCE.has(rejection)) return
    const isServed = rejection === undefined
    const waits = this.waits.get(isServed) ?? new Histogram(WAIT_BUCKETS)
    this.waits.set(isServed, waits)
    waits.observe(seconds)
  }
}
