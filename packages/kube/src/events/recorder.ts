import { hostname } from 'node:os'
import { isAlreadyExists } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { type Clock, systemClock } from '../clock.js'
import { type Logger, stderrLogger } from '../log.js'
import { jittered } from '../wait.js'
import { isTransient } from '../write/retry.js'
import { Correlator } from './correlator.js'
import { type EventRecord, type NewEvent, referenceOf } from './event.js'
import type { EventAggregator, EventWrite } from './event-aggregator.js'
import { EventQueue } from './event-queue.js'
import { coreForm, type EventForm, eventsForm, writeEvent } from './form.js'
import { SERIES_GAP, SeriesAggregator } from './series-aggregator.js'
import { cut, eventName, MAX_NOTE } from './text.js'

export interface RecorderOptions {
  /** The reporting controller, as a qualified name: `example.com/placement`. */
  readonly controller: string
  /** The reporting instance. Default: with the host name. */
  readonly instance?: string
  /** `events.k8s.io/v1`, or `v1` for events of the core group. Default `events.k8s.io/v1`. */
  readonly apiVersion?: 'events.k8s.io/v1' | 'v1'
  /** The limit of queued events. Namespaces share it. Default 1,000. */
  readonly queueSize?: number
  /** Default: the system clock. */
  readonly clock?: Clock
  /** Default warnings and errors to stderr. `silentLogger` writes nothing. */
  readonly log?: Logger
  /** Default `Math.random`. */
  readonly random?: () => number
}

const MAX_WORD = 128
const MAX_TRIES = 12
const RETRY_DELAY = 10_000
/** The limit for writing the rest when a recorder closes. */
const CLOSE_LIMIT = 5_000

/**
 * Records events about objects. It never blocks its caller and never fails: events that cannot be written are
 * counted. Repeated events become one event with a count: with any note for `events.k8s.io`, with the same note for
 * the core group, as in client-go.
 */
export class EventRecorder {
  readonly #client: KubeClient
  readonly #form: EventForm
  readonly #reporter: Pick<EventRecord, 'reportingController' | 'reportingInstance'>
  readonly #clock: Clock
  readonly #log: Logger
  readonly #random: () => number
  readonly #aggregator: EventAggregator
  readonly #queue: EventQueue
  readonly #closed = new AbortController()
  #sending: Promise<void> | undefined
  #stopSweeping: (() => void) | undefined
  #stopWaiting: (() => void) | undefined
  #named: number
  #isClosing = false
  #isOverflowing = false
  #dropped = 0

  constructor(client: KubeClient, options: RecorderOptions) {
    const { controller, instance = `${controller}-${hostname()}`, queueSize = 1_000, random = Math.random } = options
    this.#client = client
    const isCore = options.apiVersion === 'v1'
    this.#form = isCore ? coreForm : eventsForm
    this.#aggregator = isCore ? new Correlator() : new SeriesAggregator()
    this.#reporter = { reportingController: controller, reportingInstance: cut(instance, MAX_WORD) }
    this.#queue = new EventQueue(queueSize)
    this.#clock = options.clock ?? systemClock
    this.#log = options.log ?? stderrLogger
    this.#random = random
    this.#named = Math.floor(random() * 1_000_000)
  }

  /** The number of events that were never written. */
  get dropped(): number {
    return this.#dropped
  }

  /** Records an event. Does nothing once the recorder is closed. */
  record(event: NewEvent): void {
    if (this.#isClosing) return
    this.#enqueue(this.#aggregator.add(this.#recordOf(event), this.#clock.elapsed()))
    if (this.#aggregator.open > 0) this.#stopSweeping ??= this.#clock.after(SERIES_GAP, () => this.#sweep())
  }

  /** Resolves when no event is queued. */
  async flush(): Promise<void> {
    await this.#sending
  }

  /** Writes the final counts of all series and the queued events, with one attempt each, and closes. */
  async close(): Promise<void> {
    if (this.#isClosing) return this.#sending
    this.#isClosing = true
    this.#stopSweeping?.()
    this.#stopWaiting?.()
    this.#enqueue(this.#aggregator.clear())
    const stopLimit = this.#clock.after(CLOSE_LIMIT, () => this.#closed.abort())
    await this.#sending
    stopLimit()
  }

  #recordOf(event: NewEvent): EventRecord {
    const { type = 'Normal', reason, action = reason } = event
    const regarding = referenceOf(event.regarding)
    const time = this.#clock.now()
    return {
      name: eventName(regarding.name ?? '', time, this.#named++),
      namespace: regarding.namespace || 'default',
      type,
      reason: cut(reason, MAX_WORD),
      action: cut(action, MAX_WORD),
      note: cut(event.note, MAX_NOTE),
      regarding,
      related: event.related && referenceOf(event.related),
      ...this.#reporter,
      time,
    }
  }

  #sweep(): void {
    this.#enqueue(this.#aggregator.sweep(this.#clock.elapsed()))
    this.#stopSweeping = this.#aggregator.open === 0 ? undefined : this.#clock.after(SERIES_GAP, () => this.#sweep())
  }

  #enqueue(writes: readonly EventWrite[]): void {
    for (const write of writes) {
      if (this.#queue.add(write)) continue
      this.#dropped++
      if (this.#isOverflowing) continue
      this.#isOverflowing = true
      this.#log.warn('Events dropped: the queue is full', { waiting: this.#queue.size })
    }
    if (this.#queue.size > 0) this.#sending ??= this.#send()
  }

  async #send(): Promise<void> {
    while (this.#queue.size > 0) {
      await this.#queue.writeNext((write) => this.#write(write))
      this.#isOverflowing = false
      if (this.#closed.signal.aborted) this.#abandon()
    }
    this.#sending = undefined
  }

  #abandon(): void {
    const waiting = this.#queue.clear()
    if (waiting === 0) return
    this.#log.warn('Events dropped: the server was unreachable when the recorder closed', { waiting })
    this.#dropped += waiting
  }

  async #write({ record, series }: EventWrite): Promise<void> {
    const { signal } = this.#closed
    for (let tries = 1; ; tries++) {
      try {
        return await writeEvent(this.#form, this.#client, record, series, { signal })
      } catch (error) {
        // The response to an earlier attempt was lost.
        if (tries > 1 && isAlreadyExists(error)) return
        const isAway = isTransient(error)
        const isLast = this.#isClosing
        if (tries >= MAX_TRIES || isLast || !isAway) {
          if (isLast && isAway) this.#closed.abort()
          this.#dropped++
          this.#log.warn('Event not recorded', { reason: record.reason, regarding: record.regarding, error })
          return
        }
        if (tries === 1) this.#log.warn('Event not recorded yet', { waiting: this.#queue.size, error })
      }
      await this.#wait(jittered(RETRY_DELAY, 0.25, this.#random))
    }
  }

  /** The timer does not keep the process alive. */
  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(milliseconds, resolve)
      this.#stopWaiting = () => {
        cancel()
        resolve()
      }
    })
  }
}
