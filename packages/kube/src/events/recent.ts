const MAX_ENTRIES = 4_096

/** A cache that drops the least recently used entry when it is full. */
export class Recent<T> {
  readonly #entries = new Map<string, T>()

  /** Marks it as used. */
  get(key: string): T | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  /** Marks it as used. */
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
