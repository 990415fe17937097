import type { Clock } from '@orrery/kube/clock'

/** Again after a moment: a server may register a subscription only after it has confirmed it. */
const SECOND_MILLISECONDS = 2_000
/** Finds what was lost without a lost connection. */
const REGULAR_MILLISECONDS = 300_000
const RETRY_MILLISECONDS = 5_000

export interface ResyncTimerOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly resync: () => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Resyncs when a connection is made, a moment later, and every 5 to 7.5 minutes while it lasts. */
export class ResyncTimer {
  readonly #options: ResyncTimerOptions
  #cancel: () => void = () => undefined
  /** Identifies the connection. Undefined while there is none. */
  #connection: symbol | undefined
  #rounds = 0

  constructor(options: ResyncTimerOptions) {
    this.#options = options
  }

  start(): void {
    this.#connection = Symbol('connection')
    this.#rounds = 0
    this.#schedule(0)
  }

  /** Resyncs now, if there is a connection. */
  hurry(): void {
    if (this.#connection !== undefined) this.#schedule(0)
  }

  stop(): void {
    this.#connection = undefined
    this.#cancel()
  }

  #schedule(milliseconds: number): void {
    this.#cancel()
    this.#cancel = this.#options.clock.after(milliseconds, () => void this.#run())
  }

  async #run(): Promise<void> {
    const { resync, onError, random } = this.#options
    const connection = this.#connection
    let next: number
    try {
      await resync()
      next = this.#rounds++ === 0 ? SECOND_MILLISECONDS : REGULAR_MILLISECONDS * (1 + random() / 2)
    } catch (error) {
      onError(error)
      next = RETRY_MILLISECONDS
    }
    if (this.#connection === connection && connection !== undefined) this.#schedule(next)
  }
}
