import type { HeldAnswer } from './held-answers.js'

/** The part of a socket or HTTP/2 stream that reports when its client has read everything. */
interface Carrier {
  prependListener(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
}

/**
 * Counts the bytes of a stream that wait in its full socket, such as large events of a watch. A client that opens
 * thousands of streams and reads none of them would fill the memory.
 */
export class UnreadBytes {
  readonly #carrier: Carrier
  readonly #hold: (bytes: number) => HeldAnswer
  #held: HeldAnswer | undefined

  constructor(carrier: Carrier, hold: (bytes: number) => HeldAnswer) {
    this.#carrier = carrier
    this.#hold = hold
  }

  /** Counts bytes until the carrier drains or closes. */
  add(bytes: number): void {
    if (this.#held !== undefined) {
      this.#held.grew(bytes)
      return
    }
    // Before the listeners that write more, which counts again.
    this.#carrier.prependListener('drain', this.#release)
    this.#carrier.prependListener('close', this.#release)
    this.#held = this.#hold(bytes)
  }

  readonly #release = (): void => {
    this.#carrier.off('drain', this.#release)
    this.#carrier.off('close', this.#release)
    this.#held?.release()
    this.#held = undefined
  }
}
