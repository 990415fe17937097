import type { Clock } from '@orrery/kube/clock'

export interface PollerOptions {
  readonly clock: Clock
  /** How long to wait before the first time. */
  readonly firstMilliseconds: number
  readonly everyMilliseconds: number
  /** Asks for everything that has to be asked for. Tells whether there is anything. */
  readonly poll: () => Promise<boolean>
}

/** Asks now and then, as long as there is something to ask for. */
export class Poller {
  readonly #options: PollerOptions
  #cancel: (() => void) | undefined
  /** Whether there may be something that the poll under way did not see. */
  #isWoken = false
  #closed = false

  constructor(options: PollerOptions) {
    this.#options = options
  }

  /** There may be something to ask for. */
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
