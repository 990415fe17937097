import { internalError, type KubeObject, StatusError } from '@orrery/kube'
import { errorFrame } from '../registry/watch.js'
import type { WatchSink } from '../watch/types.js'
import { eventLines } from './eventlines.js'

/** Events waiting for a conversion beyond this make the writer wait. */
const HIGH_WATER_EVENTS = 100

/**
 * Stands between the watch hub and a watcher whose objects a webhook converts: takes events in the stored version
 * and passes them on converted, one after the other.
 */
export class ConvertingSink implements WatchSink {
  readonly #inner: WatchSink
  readonly #convert: (object: KubeObject) => Promise<Buffer>
  readonly #queue: Buffer[] = []
  #onDrain: (() => void) | undefined
  #waiting = false
  #busy = false
  #ended = false
  #closed = false

  constructor(inner: WatchSink, convert: (object: KubeObject) => Promise<Buffer>) {
    this.#inner = inner
    this.#convert = convert
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
        if (!this.#inner.write(frame)) return
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

  async #converted(frame: Buffer): Promise<Buffer> {
    const event = JSON.parse(frame.toString('utf8')) as { type: string; object: KubeObject }
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') return frame
    const object = await this.#convert(event.object)
    return Buffer.concat([Buffer.from(`{"type":"${event.type}","object":`), object, Buffer.from('}\n')])
  }
}
