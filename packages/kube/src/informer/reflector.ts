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
/** Initial events must bring a new object within this time, or end. Servers without support do neither. */
const INITIAL_SILENCE_MS = 30_000
/**
 * Servers send a bookmark about once a minute, and omit one if its version is that of the start: a connection without
 * events for longer than both is dead.
 */
const SILENCE_MS = 140_000
/** A watch that has been open for this long counts as healthy, even without events. */
const SETTLED_MS = 2_000
const MIN_WATCH_MS = 1_000
/** Watches end after one to two times this, so that clients spread over the API servers. */
const MIN_TIMEOUT_SECONDS = 300
const PAGE_SIZE = 500
/** For transports without limits of their own. */
const ANSWER_LIMIT_MS = 120_000
/** For a list in one response, which may be long. */
const LIST_LIMIT_MS = 600_000
/** Proxies may cut long streams but pass short requests: after this many attempts the objects are listed. */
const STREAM_ATTEMPTS = 3

export interface ReflectorOptions<T extends ApiObject> {
  readonly collection: Collection<T>
  readonly cache: Cache<T>
  readonly clock: Clock
  readonly outage: Outage
  /** Returns a number from 0 to 1, for jitter. */
  readonly random: () => number
  /** Called when the cache is complete, after the first fill and each further one. */
  readonly onFilled: () => void
}

/**
 * Keeps a cache equal to the state of a server, through failures of the server and the network. Corresponds to
 * client-go's Reflector.
 *
 * | state     | action                                     | next                                               |
 * |-----------|--------------------------------------------|----------------------------------------------------|
 * | filling   | requests a streaming list (KEP-3157)       | following, in the same stream, when it is complete |
 * |           | if that is rejected, lists page by page    | following                                          |
 * | following | watches from the version of the last event | following, when the watch ends, breaks or is dead  |
 * |           |                                            | filling, when that version has expired             |
 *
 * After a failure in any state it waits and tries again. It never gives up.
 */
export class Reflector<T extends ApiObject> {
  readonly counts = { fills: 0, watches: 0, events: 0, failures: 0 }
  readonly #options: ReflectorOptions<T>
  readonly #backoff: Backoff
  /** The version to continue from. Undefined while filling. */
  #version: string | undefined
  /** The version that could not be continued from. */
  #leftAt: string | undefined
  /** Whether the same resourceVersion of an object means the same state. */
  #trustsVersions = true
  #failedStreams = 0
  #serverIgnoresInitialEvents = false

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    this.#backoff = new Backoff(options.clock, options.random)
  }

  /** Runs until the signal is aborted. */
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
        // The continue token expired before the last page: the list has to come in one response.
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

  /** Watches until the server ends the watch, or the connection is dead. */
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

  /** Takes events as they come. Returns whether any came. */
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

  /** Returns whether the event had an object that was not received before. */
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
    // A server with support sends no other bookmark until the initial events have ended.
    if (metadata.annotations?.[INITIAL_EVENTS_END] !== 'true') throw new InitialEventsMissing(true)
    this.#filled(metadata.resourceVersion)
  }

  #leave(): void {
    this.#leftAt = this.#version ?? this.#leftAt
    this.#version = undefined
  }

  #filled(version: string): void {
    // A restored server may reject an unknown version without a reason.
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
  return new Error('the server did not respond in time', { cause })
}
