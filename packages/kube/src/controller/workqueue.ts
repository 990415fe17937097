import type { Clock } from '../clock.js'
import { type Backoff, backoffAfter } from './backoff.js'
import { DelayQueue, type Waiting } from './delay-queue.js'
import { type Linked, LinkedList } from './linked-list.js'
import { requeueAfter, restOf } from './requeue.js'
import type { Requeue } from './types.js'

/** Fresh work is done first; a resync looks again at what was seen, or is seen for the first time after a start. */
export type Urgency = 'fresh' | 'resync'

export interface WorkQueueOptions {
  readonly clock: Clock
  /** There is something to take. Called within `add`: do not begin the work there. */
  readonly onReady: () => void
  readonly backoff?: Backoff | undefined
  /** Somebody or some time asked for a key. */
  readonly onAdd?: (() => void) | undefined
  /** A key was put off, to be tried or looked at again later. */
  readonly onDelay?: (() => void) | undefined
}

/** One key, handed out until it is said how it went. */
export interface Work {
  readonly key: string
  readonly urgency: Urgency
  /** 1, and one more for each failure since the last success. */
  readonly attempt: number
  /** How long it was ready. */
  readonly waitedMilliseconds: number
}

interface Entry extends Waiting, Linked<Entry> {
  readonly key: string
  state: 'waiting' | 'ready' | 'running'
  /** Of what it is ready for, or is being done. */
  urgency: Urgency
  /** What it will be when its time comes. */
  dueUrgency: Urgency
  /** While running: what was asked for since. */
  again: Urgency | undefined
  failures: number
  /** When it became ready, by the clock's elapsed time. */
  readySince: number
}

/**
 * Keys to be worked on, each at most once in the queue and at most once in flight.
 *
 * | a key is | add                         | its time comes  | take    | succeed, fail                                  |
 * |----------|-----------------------------|-----------------|---------|------------------------------------------------|
 * | unknown  | ready                       |                 |         |                                                |
 * | waiting  | ready, its failures stay    | ready           |         |                                                |
 * | ready    | fresh, when added as such   | fresh           | running |                                                |
 * | running  | ready again when it is done |                 |         | ready if added; waiting, if asked to; unknown  |
 *
 * An event makes a key ready that was waiting out a failure: what changed may be what was missing, and people who
 * repair something should not have to wait. The failures still count, so that a key which fails on every event backs off
 * as soon as the events stop.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #entries = new Map<string, Entry>()
  readonly #lists: Readonly<Record<Urgency, LinkedList<Entry>>> = { fresh: new LinkedList(), resync: new LinkedList() }
  /** Those that wait, and those of a resync that would be due by themselves soon. */
  readonly #delayed: DelayQueue<Entry>
  #running = 0
  #failing = 0
  #closed = false

  constructor(options: WorkQueueOptions) {
    this.#options = options
    this.#delayed = new DelayQueue(options.clock, (entry) => this.#wake(entry))
  }

  /** How many keys could be taken now. */
  get ready(): number {
    return this.depth('fresh') + this.depth('resync')
  }

  /** How many of them are this urgent. */
  depth(urgency: Urgency): number {
    return this.#lists[urgency].size
  }

  /** How many keys wait for their time. */
  get waiting(): number {
    return this.#entries.size - this.#running - this.ready
  }

  get running(): number {
    return this.#running
  }

  /** How many keys failed when they were last worked on. */
  get failing(): number {
    return this.#failing
  }

  /** How long the key that is next has been ready. */
  get waitedMilliseconds(): number {
    const next = this.#next()
    return next === undefined ? 0 : this.#options.clock.elapsed() - next.readySince
  }

  /** Asks for a key to be worked on as soon as possible. */
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

  /** The next key, now in flight until `succeed` or `fail`. */
  take(): Work | undefined {
    const entry = this.#next()
    if (entry === undefined) return undefined
    const { key, urgency, failures } = entry
    this.#lists[urgency].remove(entry)
    this.#delayed.remove(entry)
    entry.state = 'running'
    this.#running++
    return { key, urgency, attempt: failures + 1, waitedMilliseconds: this.#options.clock.elapsed() - entry.readySince }
  }

  /** The work on a key is done, but for looking at it again later. */
  succeed(key: string, again?: Requeue): void {
    const entry = this.#finish(key)
    if (entry.failures > 0) this.#failing--
    entry.failures = 0
    this.#settle(entry, again, 'fresh')
  }

  /**
   * The work on a key failed: it will be tried again, later each time, and not before somebody asked for.
   * Says after how many milliseconds.
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

  /** Forgets everything and takes in nothing more. What is in flight may still end. */
  close(): void {
    this.#closed = true
    for (const entry of [...this.#entries.values()]) {
      if (entry.state === 'running') continue
      if (entry.state === 'ready') this.#lists[entry.urgency].remove(entry)
      this.#delayed.remove(entry)
      this.#forget(entry)
    }
  }

  #next(): Entry | undefined {
    return this.#lists.fresh.first ?? this.#lists.resync.first
  }

  #create(key: string): Entry {
    const entry: Entry = {
      key,
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
    this.#running--
    return entry
  }

  /** After a run: what was asked for meanwhile comes first. */
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

  /** A key that is made ready by a resync keeps its time, or it could be late for it. */
  #makeReady(entry: Entry, urgency: Urgency): void {
    if (urgency === 'fresh') this.#delayed.remove(entry)
    entry.state = 'ready'
    entry.urgency = urgency
    entry.readySince = this.#options.clock.elapsed()
    this.#lists[urgency].append(entry)
    this.#options.onAdd?.()
    this.#options.onReady()
  }

  /** Puts a ready key behind the fresh ones, instead of behind all. */
  #raise(entry: Entry): void {
    if (entry.urgency === 'fresh') return
    this.#delayed.remove(entry)
    this.#lists.resync.remove(entry)
    this.#lists.fresh.append(entry)
    entry.urgency = 'fresh'
  }

  /** The time of a key has come. */
  #wake(entry: Entry): void {
    if (entry.state === 'waiting') this.#makeReady(entry, entry.dueUrgency)
    else if (entry.dueUrgency === 'fresh') this.#raise(entry)
  }
}

function higher(one: Urgency | undefined, other: Urgency): Urgency {
  return one === 'fresh' ? 'fresh' : other
}
