import type { WatchSink } from '../watch/types.js'

/** Where a Table without headers has its headers. Nothing a client can choose comes before it. */
const NO_HEADERS = Buffer.from('"columnDefinitions":null')

/** Gives the first table of a watch its headers; the others come without, so that all watchers can share them. */
export class TableSink implements WatchSink {
  readonly #inner: WatchSink
  #headers: Buffer | undefined

  constructor(inner: WatchSink, headers: Buffer) {
    this.#inner = inner
    this.#headers = headers
  }

  write(chunk: Buffer): boolean {
    return this.#inner.write(this.#headers === undefined ? chunk : this.#withHeaders(chunk, this.#headers))
  }

  onDrain(callback: () => void): void {
    this.#inner.onDrain(callback)
  }

  onClose(callback: () => void): void {
    this.#inner.onClose(callback)
  }

  end(): void {
    this.#inner.end()
  }

  destroy(): void {
    this.#inner.destroy()
  }

  #withHeaders(chunk: Buffer, headers: Buffer): Buffer {
    const at = chunk.indexOf(NO_HEADERS)
    if (at < 0) return chunk
    this.#headers = undefined
    return Buffer.concat([chunk.subarray(0, at), headers, chunk.subarray(at + NO_HEADERS.length)])
  }
}
