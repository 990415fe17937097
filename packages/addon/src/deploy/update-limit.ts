import type { Clock } from '@orrery/kube/clock'

/** As many updates may follow each other at once. */
const BURST = 10
/** Then there is one in this time. */
const INTERVAL_MILLISECONDS = 10_000

/**
 * Limits how often the works of an add-on are updated. An add-on whose manifests are different each time they are rendered would
 * update its works without end, since every update renders them again.
 */
export class UpdateLimit {
  readonly #clock: Clock
  /** When the last of the counted updates no longer counts, by key. */
  readonly #usedUntil = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How long to wait before the next update, in milliseconds; 0 if it may be made now. */
  wait(key: string): number {
    const left = (this.#usedUntil.get(key) ?? 0) - this.#clock.now().getTime()
    return Math.max(0, left - (BURST - 1) * INTERVAL_MILLISECONDS)
  }

  /** Counts an update. */
  count(key: string): void {
    const from = Math.max(this.#usedUntil.get(key) ?? 0, this.#clock.now().getTime())
    this.#usedUntil.set(key, from + INTERVAL_MILLISECONDS)
  }

  /** Forgets an object that is gone. */
  forget(key: string): void {
    this.#usedUntil.delete(key)
  }
}
