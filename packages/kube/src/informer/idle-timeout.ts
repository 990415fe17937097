import type { Clock } from '../clock.js'

/**
 * Aborts a request without data for some time, to detect a dead connection. `heard` is cheap: it does not touch the
 * timer.
 */
export class IdleTimeout {
  readonly #clock: Clock
  readonly #parent: AbortSignal
  readonly #controller = new AbortController()
  readonly #abort = () => this.#controller.abort()
  #limit: number
  #heardAt: number
  #cancel: (() => void) | undefined
  #fired = false

  /** The request also ends with the parent signal. */
  constructor(clock: Clock, limitMilliseconds: number, parent: AbortSignal) {
    this.#clock = clock
    this.#parent = parent
    this.#limit = limitMilliseconds
    this.#heardAt = clock.elapsed()
    this.#wait(limitMilliseconds)
    if (parent.aborted) this.#abort()
    else parent.addEventListener('abort', this.#abort, { once: true })
  }

  /** The signal for the request. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the limit was exceeded. */
  get fired(): boolean {
    return this.#fired
  }

  /** Restarts the limit, with a new value. */
  reset(limitMilliseconds: number): void {
    const isShorter = limitMilliseconds < this.#limit
    this.#limit = limitMilliseconds
    this.#heardAt = this.#clock.elapsed()
    if (isShorter) this.#wait(limitMilliseconds)
  }

  /** Call when the request has ended. */
  close(): void {
    this.#cancel?.()
    this.#parent.removeEventListener('abort', this.#abort)
  }

  #look(): void {
    const rest = this.#heardAt + this.#limit - this.#clock.elapsed()
    if (rest > 0) {
      this.#wait(rest)
    } else {
      this.#fired = true
      this.#abort()
    }
  }

  #wait(milliseconds: number): void {
    this.#cancel?.()
    this.#cancel = this.#clock.after(milliseconds, () => this.#look())
  }
}
