import type { Clock } from '../clock.js'
import type { Flowing } from '../fair/fair-list.js'
import { type Backoff, backoffAfter } from './backoff.js'
import { DelayQueue, type Waiting } from './delay-queue.js'
import { ReadyList, type Urgency } from './ready-list.js'
import { requeueAfter, restOf } from './requeue.js'
import type { Requeue } from './types.js'
import { NO_FLOW, Workers } from './workers.js'

export interface WorkQueueOptions {
  readonly clock: Clock
  /** Called within `add` when there is something to take: do not start the work there. */
  readonly onReady: () => void
  readonly backoff?: Backoff | undefined
  /** The limit of keys in flight. Default none. With two or more, the last one is kept for a flow that has none in flight. */
  readonly concurrency?: number | undefined
  /** The flow of a key. Ready keys of different flows take turns. Default: the namespace. Keys without one share a flow. */
  readonly flowOf?: ((key: string) => string) | undefined
  /** Called when a key is added or its time comes. */
  readonly onAdd?: (() => void) | undefined
  /** Called when a key is delayed for a retry or a requeue. */
  readonly onDelay?: (() => void) | undefined
}

/** One key in flight, until its result is known. */
export interface Work {
  readonly key: string
  readonly urgency: Urgency
  /** 1, and one more for each failure since the last success. */
  readonly attempt: number
  /** How long it was ready. */
  readonly waitedMilliseconds: number
}

interface Entry extends Waiting, Flowing<Entry> {
  readonly key: string
  state: 'waiting' | 'ready' | 'running'
  /** The urgency while ready or in flight. */
  urgency: Urgency
  /** The urgency when its time comes. */
  dueUrgency: Urgency
  /** While in flight: the urgency it was added with since. */
  again: Urgency | undefined
  failures: number
  /** When it became ready, by the clock's elapsed time. */
  readySince: number
}

/**
 * Keys to reconcile, each at most once in the queue and at most once in flight.
 *
 * | a key is | add                      | its time comes | take    | succeed, fail                                |
 * |----------|--------------------------|----------------|---------|----------------------------------------------|
 * | unknown  | ready                    |                |         |                                              |
 * | waiting  | ready, its failures stay | ready          |         |                                              |
 * | ready    | fresh, if added as such  | fresh          | running |                                              |
 * | running  | ready again afterwards   |                |         | ready if added; waiting if requeued; unknown |
 *
 * An event makes a key ready that waits after a failure: the change may have solved the problem, and people who
 * repair something should not have to wait. The failures still count, so that a key that fails on every event backs
 * off as soon as the events stop.
 *
 * Namespaces take turns: a key waits for at most one key of each other namespace, however many are ready there.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #entries = new Map<string, Entry>()
  readonly #ready = new ReadyList<Entry>()
  /** Waiting keys, and those of a resync that are also due soon. */
  readonly #delayed: DelayQueue<Entry>
  readonly #workers: Workers
  readonly #admits = (flow: string) => this.#workers.admits(flow)
  #failing = 0
  #closed = false

  constructor(options: WorkQueueOptions) {
    this.#options = options
    this.#workers = new Workers(options.concurrency ?? Number.POSITIVE_INFINITY)
    this.#delayed = new DelayQueue(options.clock, (entry) => this.#wake(entry))
  }

  /** The number of keys that are ready. */
  get ready(): number {
    return this.#ready.size
  }

  /** The number of ready keys of this urgency. */
  depth(urgency: Urgency): number {
    return this.#ready.depth(urgency)
  }

  /** The number of waiting keys. */
  get waiting(): number {
    return this.#entries.size - this.running - this.ready
  }

  get running(): number {
    return this.#workers.running
  }

  /** Whether keys are ready and the concurrency is not reached. */
  get mayTake(): boolean {
    return this.#workers.hasFree && this.ready > 0
  }

  /** The number of keys whose last run failed. */
  get failing(): number {
    return this.#failing
  }

  /** How long the next key has been ready. */
  get waitedMilliseconds(): number {
    const next = this.#ready.first
    return next === undefined ? 0 : this.#options.clock.elapsed() - next.readySince
  }

  /** Adds a key, to be taken as soon as possible. */
  add(key: string, urgency: Urgency = 'fresh'): void {
    if (this.#closed) return
    const entry = this.#entries.get(key)
    if (entry === undefined) {
      this.#makeReady(this.#create(key), urgency)
    } else if (entry.state === 'running') {
      entry.again = higher(entry.again, urgency)
    } else if (entry.state === 'waiting') {
      this.#makeReady(entry, urgency)
    } else if (urgency === 'fresh') {
      this.#raise(entry)
    }
  }

  /** The next key, in flight until `succeed` or `fail`. Undefined if none may be taken until a run ends. */
  take(): Work | undefined {
    const entry = this.#ready.take(this.#admits)
    if (entry === undefined) return undefined
    const { key, urgency, failures } = entry
    this.#delayed.remove(entry)
    entry.state = 'running'
    this.#workers.begin(entry.flow)
    return { key, urgency, attempt: failures + 1, waitedMilliseconds: this.#options.clock.elapsed() - entry.readySince }
  }

  /** Ends the run of a key, optionally with a requeue. */
  succeed(key: string, again?: Requeue): void {
    const entry = this.#finish(key)
    if (entry.failures > 0) this.#failing--
    entry.failures = 0
    this.#settle(entry, again, 'fresh')
  }

  /**
   * Ends the run of a key that failed: it is retried with backoff, and not before the given delay. Returns the delay
   * in milliseconds.
   */
  fail(key: string, atLeastMilliseconds = 0): number {
    const entry = this.#finish(key)
    if (entry.failures === 0) this.#failing++
    entry.failures++
    const backoff = Math.max(atLeastMilliseconds, backoffAfter(entry.failures, this.#options.backoff))
    const wait = entry.again === undefined ? backoff : 0
    this.#settle(entry, requeueAfter(wait), entry.urgency)
    return wait
  }

  /** Drops everything and accepts nothing more. Runs in flight may still end. */
  close(): void {
    this.#closed = true
    for (const entry of [...this.#entries.values()]) {
      if (entry.state === 'running') continue
      if (entry.state === 'ready') this.#ready.remove(entry)
      this.#delayed.remove(entry)
      this.#forget(entry)
    }
  }

  #create(key: string): Entry {
    const entry: Entry = {
      key,
      flow: (this.#options.flowOf ?? namespaceOf)(key),
      state: 'waiting',
      urgency: 'resync',
      dueUrgency: 'resync',
      again: undefined,
      failures: 0,
      readySince: 0,
      due: 0,
      order: 0,
      position: undefined,
      isForMoment: false,
      previous: undefined,
      next: undefined,
    }
    this.#entries.set(key, entry)
    return entry
  }

  #forget(entry: Entry): void {
    if (entry.failures > 0) this.#failing--
    this.#entries.delete(entry.key)
  }

  #finish(key: string): Entry {
    const entry = this.#entries.get(key)
    if (entry?.state !== 'running') throw new Error(`${key} is not in flight`)
    this.#workers.end(entry.flow)
    return entry
  }

  /** After a run: what was added meanwhile comes first. */
  #settle(entry: Entry, until: Requeue | undefined, urgency: Urgency): void {
    const { again } = entry
    entry.again = undefined
    if (this.#closed) {
      this.#forget(entry)
    } else if (again !== undefined) {
      this.#makeReady(entry, again)
    } else if (until === undefined) {
      this.#forget(entry)
    } else if (restOf(until, this.#options.clock.now()) <= 0) {
      this.#makeReady(entry, urgency)
    } else {
      entry.state = 'waiting'
      entry.dueUrgency = urgency
      this.#delayed.add(entry, until)
      this.#options.onDelay?.()
    }
  }

  /** A key that a resync makes ready keeps its time, so that it is not late for it. */
  #makeReady(entry: Entry, urgency: Urgency): void {
    if (urgency === 'fresh') this.#delayed.remove(entry)
    entry.state = 'ready'
    entry.urgency = urgency
    entry.readySince = this.#options.clock.elapsed()
    this.#ready.append(entry)
    this.#options.onAdd?.()
    this.#options.onReady()
  }

  /** Moves a ready key from the resync queue to the fresh one. */
  #raise(entry: Entry): void {
    if (entry.urgency === 'fresh') return
    this.#delayed.remove(entry)
    this.#ready.remove(entry)
    entry.urgency = 'fresh'
    this.#ready.append(entry)
  }

  /** Makes a key ready when its time comes. */
  #wake(entry: Entry): void {
    if (entry.state === 'waiting') this.#makeReady(entry, entry.dueUrgency)
    else if (entry.dueUrgency === 'fresh') this.#raise(entry)
  }
}

function higher(one: Urgency | undefined, other: Urgency): Urgency {
  return one === 'fresh' ? 'fresh' : other
}

/** The namespace of a key as `keyOf` makes it. */
function namespaceOf(key: string): string {
  const slash = key.indexOf('/')
  return slash < 0 ? NO_FLOW : key.slice(0, slash)
}
