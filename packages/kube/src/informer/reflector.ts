import type { ApiObject } from '@orrery/kinds'
import { isGone } from '@orrery/kinds/values'
import type { ObjectList, WatchEvent } from '../client/options.js'
import type { Clock } from '../clock.js'
import { pause } from '../wait.js'
import { Backoff } from './backoff.js'
import type { Cache } from './cache.js'
import type { Collection, PageQuery, WatchQuery } from './collection.js'
import { IdleTimeout } from './idle-timeout.js'
import type { Outage } from './outage.js'
import { isOlder } from './resource-version.js'
import { InitialEventsMissing, isRefusal, isResumable, VersionWentBack } from './watch-failure.js'

/** Marks the bookmark that ends the initial events (KEP-3157). */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'
const INITIAL_EVENTS: WatchQuery = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
/** Initial events have to bring something new this often, or end: where nobody knows of them, they would do neither. */
const INITIAL_SILENCE_MS = 30_000
/**
 * Servers send a bookmark about once a minute, and leave one out if its version is the one the watch began with: a
 * connection that is silent for longer than both is dead.
 */
const SILENCE_MS = 140_000
/** A watch that is open for so long is a good one, though nothing happened yet. */
const SETTLED_MS = 2_000
const MIN_WATCH_MS = 1_000
/** Watches end after one to two times this, so that clients spread over the servers there are. */
const MIN_TIMEOUT_SECONDS = 300
const PAGE_SIZE = 500
/** Transports have limits of their own, and may try more than once: this one is for those that have none. */
const ANSWER_LIMIT_MS = 120_000
/** For a list in one answer, which may be long. */
const LIST_LIMIT_MS = 600_000
/** Long streams may be cut where short requests pass: after so many attempts, the objects are listed. */
const STREAM_ATTEMPTS = 3

export interface ReflectorOptions<T extends ApiObject> {
  readonly collection: Collection<T>
  readonly cache: Cache<T>
  readonly clock: Clock
  readonly outage: Outage
  /** From 0 to 1, to spread clients out. */
  readonly random: () => number
  /** Called when everything is in the cache, the first time and every time it was asked for again. */
  readonly onFilled: () => void
}

/**
 * Keeps a cache equal to what a server has, whatever happens to the server or on the way there.
 *
 * | state     | does                                          | then                                                 |
 * |-----------|-----------------------------------------------|------------------------------------------------------|
 * | filling   | asks for everything and all that follows      | following, in the same stream, when all is here      |
 * |           | if refused, asks for everything page by page  | following                                            |
 * | following | watches from the version of the last event    | following, when the watch ends, breaks or falls dead |
 * |           |                                               | filling, when that version is of no use any more     |
 *
 * A failure in any state is followed by a pause, and never by giving up.
 */
export class Reflector<T extends ApiObject> {
  readonly counts = { fills: 0, watches: 0, events: 0, failures: 0 }
  readonly #options: ReflectorOptions<T>
  readonly #backoff: Backoff
  /** Where to go on. Undefined while filling. */
  #version: string | undefined
  /** Where it could not go on the last time. */
  #leftAt: string | undefined
  /** Whether the same version of an object is the same state, here and there. */
  #trustsVersions = true
  #failedStreams = 0
  #serverIgnoresInitialEvents = false

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    this.#backoff = new Backoff(options.clock, options.random)
  }

  /** Goes on until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#version === undefined) await this.#fill(signal)
        else await this.#watch({ resourceVersion: this.#version }, signal)
      } catch (error) {
        if (signal.aborted) return
        if (!isResumable(error)) this.#leave()
        if (error instanceof VersionWentBack) this.#trustsVersions = false
        const delay = this.#backoff.next(error)
        this.counts.failures++
        this.#options.outage.failed(error, delay)
        await pause(this.#options.clock, delay, signal)
      }
    }
  }

  async #fill(signal: AbortSignal): Promise<void> {
    if (!this.#serverIgnoresInitialEvents && this.#failedStreams < STREAM_ATTEMPTS) {
      try {
        this.#options.cache.beginFill(this.#trustsVersions)
        return await this.#watch(INITIAL_EVENTS, signal)
      } catch (error) {
        if (this.#version !== undefined || signal.aborted) throw error
        this.#failedStreams++
        if (!isRefusal(error)) throw error
        this.#serverIgnoresInitialEvents = error instanceof InitialEventsMissing && error.isIgnorance
      }
    }
    await this.#list(signal)
  }

  async #list(signal: AbortSignal): Promise<void> {
    this.#options.cache.beginFill(this.#trustsVersions)
    let page = await this.#page({ limit: PAGE_SIZE }, ANSWER_LIMIT_MS, signal)
    while (page.continue !== undefined) {
      try {
        page = await this.#page({ limit: PAGE_SIZE, continue: page.continue }, ANSWER_LIMIT_MS, signal)
      } catch (error) {
        if (!isGone(error)) throw error
        // The server forgets the list before all its pages are here: it has to come in one.
        this.#options.cache.beginFill(this.#trustsVersions)
        page = await this.#page({}, LIST_LIMIT_MS, signal)
      }
    }
    this.#filled(page.resourceVersion)
  }

  async #page(query: PageQuery, limitMilliseconds: number, signal: AbortSignal): Promise<ObjectList<T>> {
    const { cache, clock, collection } = this.#options
    const timeout = new IdleTimeout(clock, limitMilliseconds, signal)
    try {
      const page = await collection.list(query, timeout.signal)
      for (const object of page.items) cache.put(object)
      return page
    } catch (error) {
      throw timeout.fired ? noAnswer(error) : error
    } finally {
      timeout.close()
    }
  }

  /** Watches until the server ends it in order, or the connection is dead. */
  async #watch(start: WatchQuery, signal: AbortSignal): Promise<void> {
    const { clock, collection, random } = this.#options
    const timeoutSeconds = Math.floor(MIN_TIMEOUT_SECONDS * (1 + random()))
    const startedAt = clock.elapsed()
    const timeout = new IdleTimeout(clock, ANSWER_LIMIT_MS, signal)
    let batches: AsyncGenerator<WatchEvent<T>[]>
    let received = false
    try {
      try {
        batches = await collection.watch({ ...start, timeoutSeconds }, timeout.signal)
      } catch (error) {
        throw timeout.fired ? noAnswer(error) : error
      }
      received = await this.#follow(batches, timeout)
    } finally {
      timeout.close()
    }
    if (signal.aborted) return
    if (this.#version === undefined) throw new InitialEventsMissing(false)
    if (!received && !timeout.fired && clock.elapsed() - startedAt < MIN_WATCH_MS) {
      throw new Error('the watch ended as soon as it began')
    }
  }

  /** Takes events as they come. Tells whether any came. */
  async #follow(batches: AsyncGenerator<WatchEvent<T>[]>, timeout: IdleTimeout): Promise<boolean> {
    const { clock, outage } = this.#options
    this.counts.watches++
    timeout.reset(this.#silenceLimit)
    const isBack = outage.isOn && this.#version !== undefined
    const unsettle = isBack ? clock.after(SETTLED_MS, () => outage.over()) : undefined
    let received = false
    try {
      for await (const batch of batches) {
        received = true
        let isNews = false
        for (const event of batch) isNews = this.#take(event) || isNews
        if (this.#version !== undefined) outage.over()
        if (isNews || this.#version !== undefined) timeout.reset(this.#silenceLimit)
      }
    } catch (error) {
      if (!timeout.fired) throw error
    } finally {
      unsettle?.()
    }
    return received
  }

  /** Tells whether the event brought an object that did not come before. */
  #take({ type, object }: WatchEvent<T>): boolean {
    const { cache } = this.#options
    const { resourceVersion = '' } = object.metadata
    if (type === 'BOOKMARK') this.#takeBookmark(object)
    else this.counts.events++
    if (this.#version !== undefined) {
      if (isOlder(resourceVersion, this.#version)) throw new VersionWentBack(this.#version, resourceVersion)
      if (resourceVersion !== '') this.#version = resourceVersion
    }
    if (type === 'ADDED' || type === 'MODIFIED') return cache.put(object)
    if (type === 'DELETED') cache.remove(object)
    return false
  }

  #takeBookmark({ metadata }: T): void {
    if (this.#version !== undefined) return
    // Until the initial events have ended, no other bookmark comes from a server that knows of them.
    if (metadata.annotations?.[INITIAL_EVENTS_END] !== 'true') throw new InitialEventsMissing(true)
    this.#filled(metadata.resourceVersion)
  }

  #leave(): void {
    this.#leftAt = this.#version ?? this.#leftAt
    this.#version = undefined
  }

  #filled(version: string): void {
    // A server that was restored may refuse the version it does not know any more, and say no word of that.
    if (this.#trustsVersions && this.#leftAt !== undefined && isOlder(version, this.#leftAt)) {
      throw new VersionWentBack(this.#leftAt, version)
    }
    this.#version = version
    this.#trustsVersions = true
    this.#failedStreams = 0
    this.counts.fills++
    this.#options.cache.endFill()
    this.#options.outage.over()
    this.#options.onFilled()
  }

  get #silenceLimit(): number {
    return this.#version === undefined ? INITIAL_SILENCE_MS : SILENCE_MS
  }
}

function noAnswer(cause: unknown): Error {
  return new Error('the server did not answer in time', { cause })
}
