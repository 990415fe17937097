import type { Clock } from '@orrery/kube/clock'
import { RevisionCompacted, type Store } from '../store/types.js'
import { type Cohort, CohortIndex } from './cohort.js'
import type { Change, WatchHub, WatchRequest } from './types.js'
import { ChangeView } from './view.js'
import { Watcher, type WatcherHost, type WatcherLimits } from './watcher.js'

export interface WatchHubOptions {
  readonly clock: Clock
  readonly limits?: Partial<WatcherLimits>
}

const DEFAULT_LIMITS: WatcherLimits = {
  queuedEvents: 1000,
  queuedBytes: 1024 * 1024,
  allQueuedBytes: 64 * 1024 * 1024,
  stallMilliseconds: 10_000,
  bookmarkMilliseconds: 60_000,
}

/** Timers within this time of each other fire together. */
const TICK_MILLISECONDS = 100

/** Creates the watch hub, which distributes the changes of a store to watchers (upstream: the cacher). */
export function createWatchHub(store: Store, options: WatchHubOptions): WatchHub {
  return new Hub(store, options.clock, { ...DEFAULT_LIMITS, ...options.limits })
}

class Hub implements WatchHub, WatcherHost {
  readonly limits: WatcherLimits
  readonly #store: Store
  readonly #clock: Clock
  readonly #watchers = new Set<Watcher>()
  readonly #index = new CohortIndex()
  readonly #unsubscribe: () => void
  #sentRevision: number
  #queuedBytes = 0
  #closed = false
  /** One timer for all watchers, set to the earliest deadline. */
  #timer: { readonly time: number; readonly cancel: () => void } | undefined

  constructor(store: Store, clock: Clock, limits: WatcherLimits) {
    this.#store = store
    this.#clock = clock
    this.limits = limits
    this.#sentRevision = store.revision
    this.#unsubscribe = store.subscribe((changes) => this.#fanOut(changes))
  }

  get size(): number {
    return this.#watchers.size
  }

  get sentRevision(): number {
    return this.#sentRevision
  }

  open(request: WatchRequest): void {
    const { compactedRevision } = this.#store
    if (request.since < compactedRevision) throw new RevisionCompacted(request.since, compactedRevision)
    if (this.#closed) {
      request.sink.end()
      return
    }
    const watcher = new Watcher(request, this.#store, this)
    this.#watchers.add(watcher)
    watcher.start()
  }

  endBucket(bucket: string): void {
    for (const watcher of this.#watchers) if (watcher.request.bucket === bucket) watcher.end()
  }

  close(): void {
    this.#closed = true
    this.#unsubscribe()
    for (const watcher of this.#watchers) watcher.end()
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** Returns the elapsed time, which does not depend on the system time. */
  now(): number {
    return this.#clock.elapsed()
  }

  join(watcher: Watcher): void {
    this.#index.add(watcher)
  }

  leave(watcher: Watcher): void {
    this.#index.remove(watcher)
  }

  ended(watcher: Watcher): void {
    this.#watchers.delete(watcher)
  }

  queued(bytes: number): boolean {
    this.#queuedBytes += bytes
    return this.#queuedBytes <= this.limits.allQueuedBytes
  }

  wake(time: number): void {
    if (time === Number.POSITIVE_INFINITY || (this.#timer !== undefined && this.#timer.time <= time)) return
    this.#timer?.cancel()
    const delay = Math.max(time - this.now(), TICK_MILLISECONDS)
    this.#timer = { time, cancel: this.#clock.after(delay, () => this.#tick()) }
  }

  #tick(): void {
    this.#timer = undefined
    const now = this.now()
    let next = Number.POSITIVE_INFINITY
    for (const watcher of this.#watchers) next = Math.min(next, watcher.tick(now))
    this.wake(next)
  }

  #fanOut(changes: readonly Change[]): void {
    const touched = new Set<Cohort>()
    for (const change of changes) {
      let view: ChangeView | undefined
      this.#index.visit(change.entry, (cohort) => {
        view ??= new ChangeView(change)
        cohort.take(view)
        touched.add(cohort)
      })
      this.#sentRevision = change.revision
    }
    for (const cohort of touched) cohort.handOut()
  }
}
