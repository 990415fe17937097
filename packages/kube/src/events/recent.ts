const MAX_ENTRIES = 4_096

/** Remembers what was used most recently, and forgets what was not when there is too much of it. */
export class Recent<T> {
  readonly #entries = new Map<string, T>()

  /** Makes it the most recent. */
  get(key: string): T | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  /** Makes it the most recent. */
  set(key: string, value: T): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= MAX_ENTRIES) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }
}
