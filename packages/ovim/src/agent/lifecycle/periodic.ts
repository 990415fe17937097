import type { Clock } from '@orrery/kube/clock'
import { pause } from '@orrery/kube/process'

/**
 * Runs something again and again until it is stopped: after a time, or at once when it is woken. Runs never overlap.
 */
export class Periodic {
  readonly #clock: Clock
  readonly #run: (signal: AbortSignal) => Promise<void>
  readonly #intervalMs: () => number
  #stopping = new AbortController()
  #waking = new AbortController()
  #running: Promise<void> = Promise.resolve()

  /** `run` handles its own errors. `intervalMs` is read before each pause, since it can change. */
  constructor(clock: Clock, intervalMs: () => number, run: (signal: AbortSignal) => Promise<void>) {
    this.#clock = clock
    this.#run = run
    this.#intervalMs = intervalMs
  }

  start(): void {
    this.#stopping = new AbortController()
    this.#running = this.#loop(this.#stopping.signal)
  }

  /** Ends the pause, or starts another run after the current one. */
  wake(): void {
    this.#waking.abort()
  }

  /** Cancels the current run and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#waking.abort()
    await this.#running
  }

  async #loop(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      this.#waking = new AbortController()
      await this.#run(stopped)
      if (!stopped.aborted) await pause(this.#clock, this.#intervalMs(), this.#waking.signal)
    }
  }
}
