import type { Clock } from '@orrery/kube/clock'

const WINDOW = 1_000

/** Lets so many bytes pass in a second: a flood of output is not to take the whole machine. */
export class Pace {
  readonly #clock: Clock
  readonly #bytes: number
  #since = 0
  #passed = 0

  constructor(clock: Clock, bytesPerSecond: number) {
    this.#clock = clock
    this.#bytes = bytesPerSecond
  }

  /** Counts what has passed. Undefined when more may come at once; otherwise it resolves when it may. */
  count(bytes: number): Promise<void> | undefined {
    const now = this.#clock.elapsed()
    if (now - this.#since >= WINDOW) {
      this.#since = now
      this.#passed = 0
    }
    this.#passed += bytes
    if (this.#passed < this.#bytes) return undefined
    return new Promise((resolve) => this.#clock.after(this.#since + WINDOW - now, resolve))
  }
}
