import { StatusError } from '@orrery/kinds/values'
import type { Clock } from '../clock.js'

const FIRST_MS = 800
const MAX_MS = 30_000
const RESET_MS = 120_000
/** A longer Retry-After is ignored. */
const MAX_ASKED_MS = 300_000

/** The delay between attempts: it doubles each time, with jitter, and starts over after a success. */
export class Backoff {
  readonly #clock: Clock
  readonly #random: () => number
  #attempts = 0
  #lastAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  /** The milliseconds to wait after a failure; at least what the server asked for. */
  next(error: unknown): number {
    const now = this.#clock.elapsed()
    if (now - this.#lastAt > RESET_MS) this.#attempts = 0
    this.#lastAt = now
    const base = Math.min(FIRST_MS * 2 ** this.#attempts, MAX_MS)
    if (base < MAX_MS) this.#attempts++
    const spread = this.#random()
    return Math.max(base * (1 + spread), askedFor(error) + FIRST_MS * spread)
  }
}

function askedFor(error: unknown): number {
  const seconds = error instanceof StatusError ? error.status.details?.retryAfterSeconds : undefined
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1000, MAX_ASKED_MS) : 0
}
