import type { Clock } from '@orrery/kube/clock'

/** The number of followers that continue at the same time. */
const BATCH = 50
/** The pause between batches, in milliseconds. */
const PAUSE = 10

interface Waiter {
  /** The number of notifications when it started to wait. */
  readonly since: number
  readonly done: () => void
}

/**
 * The followers of a log that wait for more lines. The first continue immediately. The others continue in batches, so that
 * thousands of followers get their lines later instead of occupying the whole machine.
 */
export class Followers {
  readonly #clock: Clock
  /** In the order in which they started to wait. */
  readonly #waiting = new Set<Waiter>()
  #notifications = 0
  #isPausing = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Lets all followers continue that wait now. */
  notify(): void {
    this.#notifications++
    if (!this.#isPausing) this.#continue()
  }

  /** Resolves after the next notification, or when the signal is aborted. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(waiter)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const waiter: Waiter = { since: this.#notifications, done }
      this.#waiting.add(waiter)
      signal.addEventListener('abort', done, { once: true })
    })
  }

  #continue(): void {
    let left = BATCH
    for (const { since, done } of this.#waiting) {
      if (since === this.#notifications) return
      if (left-- === 0) {
        this.#isPausing = true
        this.#clock.after(PAUSE, () => {
          this.#isPausing = false
          this.#continue()
        })
        return
      }
      done()
    }
  }
}
