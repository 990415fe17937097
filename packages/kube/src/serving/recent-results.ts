import type { Clock } from '../clock.js'

interface Entry<T> {
  readonly result: Promise<T>
  expiresAt: number
}

/**
 * Remembers the results of calls for a short time. Callers that ask for the same at the same time share one call. A
 * failed call is not remembered.
 */
export class RecentResults<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #clock: Clock
  readonly #lifetime: (result: T) => number
  readonly #capacity: number

  /** `lifetime` in milliseconds. */
  constructor(clock: Clock, lifetime: (result: T) => number, capacity: number) {
    this.#clock = clock
    this.#lifetime = lifetime
    this.#capacity = capacity
  }

  get(key: string, call: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key)
    if (known !== undefined && this.#clock.elapsed() < known.expiresAt) return known.result
    const entry: Entry<T> = { result: call(), expiresAt: Number.POSITIVE_INFINITY }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    // A map lists its keys in the order of insertion.
    if (this.#entries.size > this.#capacity) this.#entries.delete(this.#entries.keys().next().value as string)
    entry.result.then(
      (result) => {
        entry.expiresAt = this.#clock.elapsed() + this.#lifetime(result)
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
      },
    )
    return entry.result
  }
}
