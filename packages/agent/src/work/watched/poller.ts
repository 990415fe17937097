import type { Clock } from '@orrery/kube/clock'

export interface PollerOptions {
  readonly clock: Clock
  /** The delay before the first poll. */
  readonly firstMilliseconds: number
  readonly everyMilliseconds: number
  /** Polls everything that has no watch. Resolves with whether there is anything. */
  readonly poll: () => Promise<boolean>
}

/** Polls at intervals while there is anything to poll. */
export class Poller {
  readonly #options: PollerOptions
  #cancel: (() => void) | undefined
  /** Whether something was added that the current poll may have missed. */
  #isWoken = false
  #closed = false

  constructor(options: PollerOptions) {
    this.#options = options
  }

  /** Starts to poll, if it has stopped. */
  wake(): void {
    if (this.#cancel !== undefined) this.#isWoken = true
    else if (!this.#closed) this.#waitFor(this.#options.firstMilliseconds)
  }

  close(): void {
    this.#closed = true
    this.#cancel?.()
  }

  #waitFor(milliseconds: number): void {
    this.#cancel = this.#options.clock.after(milliseconds, () => void this.#run())
  }

  async #run(): Promise<void> {
    this.#isWoken = false
    const goOn = await this.#options.poll()
    this.#cancel = undefined
    if (this.#closed) return
    if (this.#isWoken) this.#waitFor(this.#options.firstMilliseconds)
    else if (goOn) this.#waitFor(this.#options.everyMilliseconds)
  }
}
