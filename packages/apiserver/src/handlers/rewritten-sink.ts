import type { WatchSink } from '../watch/types.js'

/** Rewrites watch events in another form. */
export class RewrittenSink implements WatchSink {
  readonly #inner: WatchSink
  readonly #rewrite: (chunk: Buffer) => Buffer

  constructor(inner: WatchSink, rewrite: (chunk: Buffer) => Buffer) {
    this.#inner = inner
    this.#rewrite = rewrite
  }

  write(chunk: Buffer): boolean {
    return this.#inner.write(this.#rewrite(chunk))
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
}
