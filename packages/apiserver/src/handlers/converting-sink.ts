import type { KubeObject } from '@orrery/kinds'
import { internalError, StatusError } from '@orrery/kinds/values'
import type { ServedFilter } from '../registry/selection.js'
import { errorFrame } from '../registry/watch.js'
import type { WatchSink } from '../watch/types.js'
import { eventLines } from './event-lines.js'

/** The writer waits if more events than this wait for a conversion. */
const HIGH_WATER_EVENTS = 100

export interface Conversions {
  /** Converts a stored object to the version of the watch. */
  convert(stored: KubeObject): Promise<KubeObject>
  /** Encodes a converted object in the form of the watch. */
  render(object: KubeObject): Buffer
  /** Filters converted objects. Events then contain the previous object as `previous`. */
  readonly served: ServedFilter | undefined
}

interface StoredEvent {
  readonly type: string
  readonly object: KubeObject
  readonly previous?: KubeObject
}

/**
 * Sits between the watch hub and a watcher whose objects a webhook converts: takes events in the storage version and
 * passes them on converted, one at a time. An object that starts to match a selector is ADDED, one that stops to match
 * is DELETED.
 */
export class ConvertingSink implements WatchSink {
  readonly #inner: WatchSink
  readonly #conversions: Conversions
  readonly #queue: Buffer[] = []
  #onDrain: (() => void) | undefined
  #waiting = false
  #busy = false
  #ended = false
  #closed = false

  constructor(inner: WatchSink, conversions: Conversions) {
    this.#inner = inner
    this.#conversions = conversions
    inner.onClose(() => {
      this.#closed = true
    })
    inner.onDrain(() => void this.#work())
  }

  write(chunk: Buffer): boolean {
    for (const line of eventLines(chunk)) this.#queue.push(line)
    void this.#work()
    this.#waiting = this.#queue.length >= HIGH_WATER_EVENTS
    return !this.#waiting
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback
  }

  onClose(callback: () => void): void {
    this.#inner.onClose(callback)
  }

  end(): void {
    this.#ended = true
    void this.#work()
  }

  destroy(): void {
    this.#closed = true
    this.#queue.length = 0
    this.#inner.destroy()
  }

  async #work(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      while (this.#queue.length > 0 && !this.#closed) {
        const frame = await this.#converted(this.#queue.shift() as Buffer)
        if (this.#closed) return
        if (frame !== undefined && !this.#inner.write(frame)) return
      }
      if (this.#ended && this.#queue.length === 0) this.#inner.end()
    } catch (error) {
      const status = error instanceof StatusError ? error.status : internalError(String(error)).status
      this.#inner.write(errorFrame(status))
      this.#closed = true
      this.#inner.end()
    } finally {
      this.#busy = false
      if (this.#waiting && this.#queue.length < HIGH_WATER_EVENTS / 2) {
        this.#waiting = false
        this.#onDrain?.()
      }
    }
  }

  /** Returns the event to send; undefined if the change does not concern this watcher. */
  async #converted(frame: Buffer): Promise<Buffer | undefined> {
    const event = JSON.parse(frame.toString('utf8')) as StoredEvent
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') return frame
    const { convert, served } = this.#conversions
    const object = await convert(event.object)
    if (served === undefined) return this.#frame(event.type, object)
    const previous = event.previous && (await convert(event.previous))
    const before = previous !== undefined && served(previous)
    const after = event.type !== 'DELETED' && served(object)
    if (after) return this.#frame(before ? 'MODIFIED' : 'ADDED', object)
    if (!before) return undefined
    if (event.type === 'DELETED') return this.#frame('DELETED', object)
    // The last matching state, at the revision of the change.
    const { resourceVersion = '' } = object.metadata
    return this.#frame('DELETED', { ...previous, metadata: { ...previous.metadata, resourceVersion } })
  }

  #frame(type: string, object: KubeObject): Buffer {
    const json = this.#conversions.render(object)
    return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), json, Buffer.from('}\n')])
  }
}
