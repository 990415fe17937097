import type { Clock } from '@orrery/kube/clock'

export interface BreakerOptions {
  readonly clock: Clock
  /** Failures in a row that open the breaker. Default 5. */
  readonly threshold?: number
  /** How long it stays open the first time. It doubles with each failed trial. Default 30 s. */
  readonly openMs?: number
  /** Default 1 minute, so that an agent finds its hub soon after it is back. */
  readonly maxOpenMs?: number
}

export type BreakerState = 'closed' | 'open' | 'half-open'

/**
 * A circuit breaker: keeps requests from an endpoint that fails.
 *
 * | state     | requests | next                                                                |
 * |-----------|----------|---------------------------------------------------------------------|
 * | closed    | all      | open after `threshold` failures in a row                            |
 * | open      | none     | half-open after `openMs`                                            |
 * | half-open | one      | closed if it succeeds; open if it fails, for twice as long as before |
 */
export class CircuitBreaker {
  readonly #clock: Clock
  readonly #threshold: number
  readonly #openMs: number
  readonly #maxOpenMs: number
  #failures = 0
  #opened = 0
  #openUntil = 0
  #isTrialRunning = false

  constructor({ clock, threshold = 5, openMs = 30_000, maxOpenMs = 60_000 }: BreakerOptions) {
    this.#clock = clock
    this.#threshold = threshold
    this.#openMs = openMs
    this.#maxOpenMs = maxOpenMs
  }

  get state(): BreakerState {
    if (this.#opened === 0) return 'closed'
    return this.#clock.elapsed() < this.#openUntil ? 'open' : 'half-open'
  }

  /** Milliseconds until a request may be tried; 0 if it may be tried now. */
  get waitMs(): number {
    return this.state === 'open' ? this.#openUntil - this.#clock.elapsed() : 0
  }

  /** Whether a request may be sent. Each `true` must be followed by `succeed`, `fail` or `release`. */
  admit(): boolean {
    const { state } = this
    if (state === 'closed') return true
    if (state === 'open' || this.#isTrialRunning) return false
    this.#isTrialRunning = true
    return true
  }

  succeed(): void {
    this.#failures = 0
    this.#opened = 0
    this.#isTrialRunning = false
  }

  fail(): void {
    this.#failures++
    const wasTrial = this.#isTrialRunning
    this.#isTrialRunning = false
    if (!wasTrial && this.#failures < this.#threshold) return
    // Requests that were sent before the breaker opened may fail later: they do not extend the time.
    if (!wasTrial && this.#opened > 0) return
    this.#openUntil = this.#clock.elapsed() + Math.min(this.#openMs * 2 ** this.#opened, this.#maxOpenMs)
    this.#opened++
  }

  /** Allows a trial now, since the hub replied to something else. */
  tryNow(): void {
    this.#openUntil = Math.min(this.#openUntil, this.#clock.elapsed())
  }

  /** The request was cancelled: it shows nothing about the endpoint. */
  release(): void {
    this.#isTrialRunning = false
  }
}
