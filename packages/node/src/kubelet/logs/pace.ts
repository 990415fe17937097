import type { Clock } from '@orrery/kube/clock'

const WINDOW = 1_000

/** Limits the bytes in each second, so that a flood of output does not occupy the whole machine. */
export class Pace {
  readonly #clock: Clock
  readonly #bytes: number
  #since = 0
  #passed = 0

  constructor(clock: Clock, bytesPerSecond: number) {
    this.#clock = clock
    this.#bytes = bytesPerSecond
  }

  /** Counts bytes. Returns undefined if more may be sent immediately; otherwise a promise that resolves when it may. */
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
