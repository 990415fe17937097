/** Callbacks by key: agents by the name of their consumer, sources by their name. */
export class Subscribers<Change> {
  readonly #byKey = new Map<string, Set<(change: Change) => void>>()

  /** Returns a function that ends the subscription. */
  add(key: string, onChange: (change: Change) => void): () => void {
    const callbacks = this.#byKey.get(key) ?? new Set()
    this.#byKey.set(key, callbacks.add(onChange))
    return () => {
      callbacks.delete(onChange)
      if (callbacks.size === 0 && this.#byKey.get(key) === callbacks) this.#byKey.delete(key)
    }
  }

  has(key: string): boolean {
    return this.#byKey.has(key)
  }

  get size(): number {
    return this.#byKey.size
  }

  keys(): string[] {
    return [...this.#byKey.keys()]
  }

  deliver(key: string, change: Change): void {
    for (const onChange of this.#byKey.get(key) ?? []) onChange(change)
  }
}
