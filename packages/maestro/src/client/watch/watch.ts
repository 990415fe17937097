import type { LabelSelector } from '@orrery/kinds/values'
import { pause } from '@orrery/kube/process'
import type { StatusMessage } from '../../codec/work-events.js'
import type { StoredWork } from '../bundle.js'
import { isRetryable } from '../retry.js'
import type { FeedTools, WorkEvent } from './feed.js'
import { isSameState, isSameWork, KnownWorks, type Outcome } from './known-works.js'

export interface WorkWatchOptions extends FeedTools {
  /** Undefined for all consumers. */
  readonly consumer: string | undefined
  /** The ID of the only work to watch. Undefined for all. */
  readonly id: string | undefined
  readonly selector: LabelSelector
  readonly onClosed: () => void
  readonly onDisconnected?: ((error: unknown) => void) | undefined
  readonly onListed?: (() => void) | undefined
}

const RELIST_MILLISECONDS = 1_000

/**
 * One watch. It holds the newest state of each work and the state that the reader has seen, and sends the difference when the
 * reader asks for it. So it needs no queue, and a reader that is slow or gone holds up nobody.
 */
export class WorkWatch {
  readonly #options: WorkWatchOptions
  readonly #known = new KnownWorks()
  readonly #seen = new Map<string, StoredWork>()
  /** The IDs of works whose state may differ from what the reader has seen, oldest first. */
  readonly #changed = new Set<string>()
  readonly #stop = new AbortController()
  #wake: () => void = () => undefined
  #failure: unknown
  #isListing = false
  #isListWanted = false
  #cancelResync: () => void = () => undefined

  constructor(options: WorkWatchOptions) {
    this.#options = options
  }

  includes(consumer: string, id: string): boolean {
    const { consumer: ownConsumer = consumer, id: ownId = id } = this.#options
    return ownConsumer === consumer && ownId === id
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Lists all works and finds what has changed. Calls during a list lead to one more. */
  relist(): void {
    this.#isListWanted = true
    if (this.#isListing || this.signal.aborted) return
    this.#isListing = true
    this.#listWhileWanted()
      .catch((error: unknown) => {
        if (!this.signal.aborted) this.close(error)
      })
      .finally(() => {
        this.#isListing = false
      })
  }

  receive(message: StatusMessage): void {
    if (this.#note(message.resourceId, this.#known.receive(message)) !== 'read') return
    void this.read(message.resourceId)
  }

  /** Reads one work again. If that fails, all are listed. Never rejects. */
  async read(id: string): Promise<void> {
    const { turn } = this.#known
    try {
      const stored = await this.#options.stored.find(id, id, this.signal)
      this.#note(id, stored === undefined ? this.#known.remove(id, turn) : this.#known.accept(stored, turn))
    } catch (error) {
      if (this.signal.aborted) return
      this.#options.log.warn('a work cannot be read: listing all', { error })
      this.relist()
    }
  }

  /** To be called when events cannot be received. */
  disconnected(error: unknown): void {
    this.#options.onDisconnected?.(error)
  }

  /** Takes a state that has just been read. */
  accept(stored: StoredWork): void {
    this.#note(stored.id, this.#known.accept(stored, this.#known.turn))
  }

  /** Ends the watch, with an error for the reader if there is one. */
  close(failure?: unknown): void {
    if (this.signal.aborted) return
    this.#failure = failure
    this.#cancelResync()
    this.#stop.abort()
    this.#wake()
    this.#options.onClosed()
  }

  async *events(): AsyncGenerator<WorkEvent> {
    try {
      while (!this.signal.aborted) {
        const event = this.#next()
        if (event !== undefined) yield event
        else await this.#woken()
      }
      if (this.#failure !== undefined) throw this.#failure
    } finally {
      this.close()
    }
  }

  #woken(): Promise<void> {
    // Nothing else keeps the process running while the connection is lost.
    const alive = setInterval(() => undefined, 2 ** 30)
    return new Promise<void>((resolve) => {
      this.#wake = resolve
      if (this.#changed.size > 0 || this.signal.aborted) resolve()
    }).finally(() => clearInterval(alive))
  }

  #next(): WorkEvent | undefined {
    for (const id of this.#changed) {
      const event = this.#difference(id)
      if (event !== undefined) return event
    }
    return undefined
  }

  /** The next event of a work. A work that was deleted and created again has two. */
  #difference(id: string): WorkEvent | undefined {
    const known = this.#known.get(id)
    const stored = known !== undefined && this.#isSelected(known) ? known : undefined
    const seen = this.#seen.get(id)
    if (seen !== undefined && (stored === undefined || !isSameWork(seen, stored))) {
      this.#seen.delete(id)
      if (stored === undefined) this.#changed.delete(id)
      return { type: 'DELETED', object: seen.work }
    }
    this.#changed.delete(id)
    if (stored === undefined || isSameState(seen, stored)) return undefined
    this.#seen.set(id, stored)
    return { type: seen === undefined ? 'ADDED' : 'MODIFIED', object: stored.work }
  }

  #isSelected({ work }: StoredWork): boolean {
    return this.#options.selector.matches(work.metadata.labels)
  }

  #note(id: string, outcome: Outcome): Outcome {
    if (outcome === 'changed') {
      this.#changed.add(id)
      this.#wake()
    }
    return outcome
  }

  async #listWhileWanted(): Promise<void> {
    const { clock, log } = this.#options
    while (this.#isListWanted && !this.signal.aborted) {
      this.#isListWanted = false
      try {
        await this.#list()
      } catch (error) {
        if (this.signal.aborted) return
        if (!isRetryable(error)) throw error
        log.warn('works cannot be listed: retrying', { error })
        this.disconnected(error)
        this.#isListWanted = true
        await pause(clock, RELIST_MILLISECONDS, this.signal)
      }
    }
  }

  async #list(): Promise<void> {
    const { clock, resyncMilliseconds } = this.#options
    this.#cancelResync()
    const { turn } = this.#known
    const listed = new Set<string>()
    for await (const one of this.#stored()) {
      listed.add(one.id)
      this.#note(one.id, this.#known.accept(one, turn))
    }
    for (const id of this.#known.missing(listed, turn)) this.#note(id, this.#known.remove(id, turn))
    this.#options.onListed?.()
    this.#cancelResync()
    this.#cancelResync = clock.after(resyncMilliseconds, () => this.relist())
  }

  async *#stored(): AsyncGenerator<StoredWork> {
    const { stored, consumer, id, selector } = this.#options
    if (id === undefined) return yield* stored.all({ consumer, selector, signal: this.signal })
    const found = await stored.find(id, id, this.signal)
    if (found !== undefined) yield found
  }
}
