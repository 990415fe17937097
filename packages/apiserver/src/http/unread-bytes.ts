import type { HeldAnswer } from './held-answers.js'
import { PIECE_BYTES } from './paced-writes.js'

/** The part of a socket or HTTP/2 stream that reports when its client has read everything. */
interface Carrier {
  prependListener(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
}

/**
 * Counts what waits in the full socket of a stream, such as large events of a watch: the piece that is encrypted, and
 * the event, which other watches may share. A client that opens thousands of streams and reads none of them would fill
 * the memory.
 */
export class UnreadBytes {
  readonly #carrier: Carrier
  readonly #hold: (bytes: number) => HeldAnswer
  #held: HeldAnswer | undefined

  constructor(carrier: Carrier, hold: (bytes: number) => HeldAnswer) {
    this.#carrier = carrier
    this.#hold = hold
  }

  /** Counts a chunk until the carrier drains or closes. */
  add(chunk: Buffer): void {
    if (this.#held === undefined) {
      // Before the listeners that write more, which counts again.
      this.#carrier.prependListener('drain', this.#release)
      this.#carrier.prependListener('close', this.#release)
      this.#held = this.#hold(Math.min(chunk.length, PIECE_BYTES))
    }
    this.#held.keeps(chunk)
  }

  readonly #release = (): void => {
    this.#carrier.off('drain', this.#release)
    this.#carrier.off('close', this.#release)
    this.#held?.release()
    this.#held = undefined
  }
}
