import type { Clock } from '../clock.js'

/**
 * Ends a request of which nothing was heard for some time, so that a connection whose other end is gone without a word
 * is noticed. Hearing is cheap: the timer is left as it is.
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

  /** What the request is to be ended by. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether it was silent for too long. */
  get fired(): boolean {
    return this.#fired
  }

  /** Waits anew, from now on for as long as is said. */
  reset(limitMilliseconds: number): void {
    const isShorter = limitMilliseconds < this.#limit
    this.#limit = limitMilliseconds
    this.#heardAt = this.#clock.elapsed()
    if (isShorter) this.#wait(limitMilliseconds)
  }

  /** To be called when the request is over. */
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
