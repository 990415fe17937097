import { expired } from '@orrery/kinds/values'
import { turns } from '../fairness/turns.js'
import { RevisionCompacted, type Store } from '../store/types.js'
import { errorFrame, eventFrame } from './frame.js'
import { Replay } from './replay.js'
import type { WatchRequest } from './types.js'

/** What a watcher needs from its hub. */
export interface WatcherHost {
  readonly limits: WatcherLimits
  /** Milliseconds since the epoch. */
  now(): number
  /** The newest revision that was sent to all live watchers. */
  readonly sentRevision: number
  /** Makes the watcher live: everything up to `joinedAt` was sent, and further changes are delivered. */
  join(watcher: Watcher): void
  leave(watcher: Watcher): void
  ended(watcher: Watcher): void
  /** Counts queued bytes. Returns false if all watchers together exceed the limit. */
  queued(bytes: number): boolean
  /** Requests a call of `tick` at this time or soon after. */
  wake(time: number): void
}

export interface WatcherLimits {
  /** The maximum of queued events for a full sink; beyond it the watcher continues from history later. */
  readonly queuedEvents: number
  readonly queuedBytes: number
  /** The maximum of queued bytes for all watchers together. */
  readonly allQueuedBytes: number
  /** How long a sink may stay full while events wait. */
  readonly stallMilliseconds: number
  readonly bookmarkMilliseconds: number
}

/** The maximum length of a replay slice, so that a large initial list does not block other work. */
const SLICE_MILLISECONDS = 2
/** A few missed events are read immediately. Many watches may start at once, so the others take turns. */
const INLINE_MILLISECONDS = 1

/**
 * One watch stream.
 *
 *   replaying  reads from the initial list and from history, at the pace of its sink
 *              → live when it has seen everything
 *   live       gets changes as they happen; events for a full sink are queued
 *              → replaying when the queue is full
 *   ended      by its deadline, its reader, an error, or because its reader stopped reading
 */
export class Watcher {
  readonly request: WatchRequest
  /** While live: changes up to this revision were sent before. */
  joinedAt = 0
  readonly #store: Store
  readonly #host: WatcherHost
  readonly #deadline: number
  #state: 'replaying' | 'live' | 'ended' = 'replaying'
  #begin: WatchRequest['begin']
  #replay: Replay | undefined
  /** When the sink became full. */
  #fullSince: number | undefined
  #queue: Buffer[] = []
  #queuedEvents = 0
  #queuedBytes = 0
  /** The first revision in the queue. */
  #queuedFrom = 0
  #bookmarkAt: number

  constructor(request: WatchRequest, store: Store, host: WatcherHost) {
    // The initial list is large and needed only at the start.
    this.request = { ...request, initial: [] }
    this.#begin = request.begin
    this.#store = store
    this.#host = host
    this.#deadline = host.now() + request.timeoutSeconds * 1000
    this.#bookmarkAt = this.#nextBookmark()
    if (request.begin === undefined) this.#replay = this.#replayOf(request)
  }

  start(): void {
    this.request.sink.onDrain(() => this.#drained())
    this.request.sink.onClose(() => this.#finish())
    this.#host.wake(this.#due())
    if (this.#begin === undefined) this.#continueReplay()
    else turns.run(this.request.user, () => this.#replaySlice())
  }

  /** Sends events that start at revision `first`. */
  deliver(chunk: Buffer, events: number, first: number): void {
    if (this.#fullSince === undefined) {
      this.#write(chunk)
      return
    }
    const isFirst = this.#queue.length === 0
    if (isFirst) this.#queuedFrom = first
    this.#queue.push(chunk)
    if (isFirst) this.#host.wake(this.#due())
    this.#queuedEvents += events
    this.#queuedBytes += chunk.length
    const { queuedEvents, queuedBytes } = this.#host.limits
    const fits = this.#host.queued(chunk.length)
    if (!fits || this.#queuedEvents > queuedEvents || this.#queuedBytes > queuedBytes) this.#fallBack()
  }

  /** Does what is due and returns the next deadline. */
  tick(now: number): number {
    if (now >= this.#deadline) {
      if (this.request.bookmarks) this.#sendBookmark()
      this.end()
    } else if (this.#isStalled(now)) {
      this.cut()
    } else if (now >= this.#bookmarkAt) {
      this.#bookmarkAt = this.#nextBookmark()
      this.#sendBookmark()
    }
    return this.#due()
  }

  /** Ends the stream with an ERROR event. */
  fail(error: unknown): void {
    this.#write(Buffer.concat([...this.#queue, errorFrame(error)]))
    this.end()
  }

  end(): void {
    if (this.#finish()) quietly(() => this.request.sink.end())
  }

  /** Closes the connection immediately. */
  cut(): void {
    if (this.#finish()) quietly(() => this.request.sink.destroy())
  }

  #replayOf({ since, initial }: Pick<WatchRequest, 'since' | 'initial'>): Replay {
    return new Replay(this.#store, this.request, since, initial, this.request.markInitialEnd)
  }

  /** Most watchers have almost nothing to replay and do it immediately. Others take turns. */
  #continueReplay(): void {
    if (this.#replaySome(performance.now() + INLINE_MILLISECONDS)) {
      turns.run(this.request.user, () => this.#replaySlice())
    }
  }

  #replaySlice(): boolean {
    const begin = this.#begin
    this.#begin = undefined
    if (begin !== undefined && this.#state === 'replaying') this.#replay = this.#replayOf(begin())
    return this.#replaySome(performance.now() + SLICE_MILLISECONDS)
  }

  /** Sends chunks until a deadline. Returns whether there is more that the sink would accept. */
  #replaySome(end: number): boolean {
    try {
      while (this.#replay !== undefined && this.#fullSince === undefined) {
        if (performance.now() >= end) return true
        const chunk = this.#replay.next()
        if (chunk === undefined) {
          this.#goLive(this.#replay.position)
          return false
        }
        this.#write(chunk)
      }
      this.#host.wake(this.#due())
    } catch (error) {
      this.fail(error instanceof RevisionCompacted ? tooOld(error) : error)
    }
    return false
  }

  #goLive(position: number): void {
    this.#state = 'live'
    this.#replay = undefined
    this.joinedAt = position
    this.#host.join(this)
  }

  /** Drops the full queue; the events are read from history when the sink drains. */
  #fallBack(): void {
    this.#host.leave(this)
    this.#clearQueue()
    this.#state = 'replaying'
    this.#replay = new Replay(this.#store, this.request, this.#queuedFrom - 1, [], false)
  }

  #drained(): void {
    if (this.#fullSince === undefined) return
    this.#fullSince = undefined
    if (this.#state === 'replaying') this.#continueReplay()
    if (this.#queue.length === 0) return
    const chunk = this.#queue.length === 1 ? (this.#queue[0] as Buffer) : Buffer.concat(this.#queue)
    this.#clearQueue()
    this.#write(chunk)
  }

  /** Only a live watcher without queued events has received everything up to the newest revision. */
  #sendBookmark(): void {
    if (this.#state !== 'live' || this.#fullSince !== undefined) return
    try {
      this.#write(eventFrame('BOOKMARK', this.request.encoding.bookmark(this.#host.sentRevision, undefined)))
    } catch (error) {
      this.fail(error)
    }
  }

  #write(chunk: Buffer): void {
    if (chunk.length === 0) return
    try {
      if (!this.request.sink.write(chunk)) this.#fullSince ??= this.#host.now()
    } catch {
      this.cut()
    }
  }

  #isStalled(now: number): boolean {
    return this.#isWaiting() && now >= (this.#fullSince as number) + this.#host.limits.stallMilliseconds
  }

  #isWaiting(): boolean {
    return this.#fullSince !== undefined && (this.#replay !== undefined || this.#queue.length > 0)
  }

  #due(): number {
    if (this.#state === 'ended') return Number.POSITIVE_INFINITY
    const stall = this.#isWaiting() ? (this.#fullSince as number) + this.#host.limits.stallMilliseconds : this.#deadline
    return Math.min(this.#deadline, this.#bookmarkAt, stall)
  }

  /** Spread randomly, so that watchers opened together do not all get bookmarks at once. */
  #nextBookmark(): number {
    if (!this.request.bookmarks) return Number.POSITIVE_INFINITY
    return this.#host.now() + this.#host.limits.bookmarkMilliseconds * (0.75 + Math.random() / 4)
  }

  #clearQueue(): void {
    if (this.#queuedBytes > 0) this.#host.queued(-this.#queuedBytes)
    this.#queue = []
    this.#queuedEvents = 0
    this.#queuedBytes = 0
  }

  #finish(): boolean {
    if (this.#state === 'ended') return false
    if (this.#state === 'live') this.#host.leave(this)
    this.#state = 'ended'
    this.#begin = undefined
    this.#replay = undefined
    this.#clearQueue()
    this.#host.ended(this)
    return true
  }
}

/** Ignores errors of a sink: it is closed, and other watchers are not affected. */
function quietly(use: () => void): void {
  try {
    use()
  } catch {
    // The reader is gone.
  }
}

function tooOld({ requested, compacted }: RevisionCompacted) {
  return expired(`too old resource version: ${requested} (${compacted})`)
}
