import type { Clock } from '../clock.js'
import { type Backoff, backoffAfter } from './backoff.js'
import { type Delayed, DelayHeap } from './delayheap.js'
import { type Linked, LinkedList } from './linkedlist.js'

/** Fresh work is done first; a resync looks again at what was seen, or is seen for the first time after a start. */
export type Urgency = 'fresh' | 'resync'

export interface WorkQueueOptions {
  readonly clock: Clock
  /** There is something to take. Called within `add`: do not begin the work there. */
  readonly onReady: () => void
  readonly backoff?: Backoff | undefined
  /** Milliseconds that never go backwards, for durations. */
  readonly stopwatch: () => number
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

interface Entry extends Delayed, Linked<Entry> {
  readonly key: string
  state: 'waiting' | 'ready' | 'running'
  /** Of what it is ready for, or is being done. */
  urgency: Urgency
  /** What it will be when its time comes. */
  dueUrgency: Urgency
  /** While running: what was asked for since. */
  again: Urgency | undefined
  failures: number
  /** When it became ready, by the stopwatch. */
  readySince: number
}

/** Timers stand still while a machine sleeps: none is trusted for longer. */
const LONGEST_SLEEP = 60_000
const NEVER = Number.POSITIVE_INFINITY

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
  readonly #delayed = new DelayHeap<Entry>()
  #order = 0
  #running = 0
  #failing = 0
  #closed = false
  #timer: { readonly due: number; readonly cancel: () => void } | undefined

  constructor(options: WorkQueueOptions) {
    this.#options = options
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
    return next === undefined ? 0 : this.#options.stopwatch() - next.readySince
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
    this.#undelay(entry)
    entry.state = 'running'
    this.#running++
    return { key, urgency, attempt: failures + 1, waitedMilliseconds: this.#options.stopwatch() - entry.readySince }
  }

  /** The work on a key is done, but for looking at it again at a time, in milliseconds since 1970. */
  succeed(key: string, again = NEVER): void {
    const entry = this.#finish(key)
    if (entry.failures > 0) this.#failing--
    entry.failures = 0
    this.#settle(entry, again, 'fresh')
  }

  /**
   * The work on a key failed: it will be tried again, later each time, and not before somebody asked for.
   * Says when, in milliseconds since 1970.
   */
  fail(key: string, atLeastMilliseconds = 0): number {
    const entry = this.#finish(key)
    if (entry.failures === 0) this.#failing++
    entry.failures++
    const now = this.#now()
    const wait = Math.max(atLeastMilliseconds, backoffAfter(entry.failures, this.#options.backoff))
    const due = entry.again === undefined ? now + wait : now
    this.#settle(entry, due, entry.urgency)
    return due
  }

  /** Forgets everything and takes in nothing more. What is in flight may still end. */
  close(): void {
    this.#closed = true
    for (const entry of [...this.#entries.values()]) {
      if (entry.state === 'running') continue
      if (entry.state === 'ready') this.#lists[entry.urgency].remove(entry)
      this.#undelay(entry)
      this.#forget(entry)
    }
  }

  #next(): Entry | undefined {
    return this.#lists.fresh.first ?? this.#lists.resync.first
  }

  #now(): number {
    return this.#options.clock.now().getTime()
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
      due: NEVER,
      order: 0,
      position: undefined,
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
  #settle(entry: Entry, due: number, urgency: Urgency): void {
    const { again } = entry
    entry.again = undefined
    if (this.#closed || (again === undefined && due === NEVER)) {
      this.#forget(entry)
    } else if (again !== undefined) {
      this.#makeReady(entry, again)
    } else if (due <= this.#now()) {
      this.#makeReady(entry, urgency)
    } else {
      entry.state = 'waiting'
      entry.due = due
      entry.dueUrgency = urgency
      entry.order = this.#order++
      this.#delayed.add(entry)
      this.#setTimer()
      this.#options.onDelay?.()
    }
  }

  /** A key that is made ready by a resync keeps its time, or it could be late for it. */
  #makeReady(entry: Entry, urgency: Urgency): void {
    if (urgency === 'fresh') this.#undelay(entry)
    entry.state = 'ready'
    entry.urgency = urgency
    entry.readySince = this.#options.stopwatch()
    this.#lists[urgency].append(entry)
    this.#options.onAdd?.()
    this.#options.onReady()
  }

  /** Puts a ready key behind the fresh ones, instead of behind all. */
  #raise(entry: Entry): void {
    if (entry.urgency === 'fresh') return
    this.#undelay(entry)
    this.#lists.resync.remove(entry)
    this.#lists.fresh.append(entry)
    entry.urgency = 'fresh'
  }

  #undelay(entry: Entry): void {
    if (entry.position === undefined) return
    this.#delayed.remove(entry)
    this.#setTimer()
  }

  /** One timer serves all. It may go off too early, when the key it was for did not wait so long. */
  #setTimer(): void {
    const head = this.#delayed.head
    if (head !== undefined && this.#timer !== undefined && this.#timer.due <= head.due) return
    this.#timer?.cancel()
    this.#timer = undefined
    if (head === undefined) return
    const now = this.#now()
    const due = Math.min(head.due, now + LONGEST_SLEEP)
    this.#timer = { due, cancel: this.#options.clock.after(Math.max(0, due - now), () => this.#wake(due)) }
  }

  /** A timer can go off before the clock shows its time, by rounding or because somebody set the clock back. */
  #wake(due: number): void {
    this.#timer = undefined
    const now = Math.max(due, this.#now())
    for (let head = this.#delayed.head; head !== undefined && head.due <= now; head = this.#delayed.head) {
      this.#delayed.remove(head)
      if (head.state === 'waiting') this.#makeReady(head, head.dueUrgency)
      else if (head.dueUrgency === 'fresh') this.#raise(head)
    }
    this.#setTimer()
  }
}

function higher(one: Urgency | undefined, other: Urgency): Urgency {
  return one === 'fresh' ? 'fresh' : other
}
