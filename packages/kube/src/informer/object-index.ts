/** Objects by values taken from them. Empty values take no memory. */
export class ObjectIndex<T> {
  readonly valuesOf: (object: T) => readonly string[]
  readonly #objects = new Map<string, Set<T>>()
  readonly #onError: (error: unknown) => void

  /** An object that `valuesOf` throws on is in the index under no value, and `onError` is told. */
  constructor(valuesOf: (object: T) => readonly string[], onError: (error: unknown) => void) {
    this.valuesOf = valuesOf
    this.#onError = onError
  }

  /** How many values lead somewhere. */
  get size(): number {
    return this.#objects.size
  }

  at(value: string): T[] {
    const found = this.#objects.get(value)
    return found === undefined ? [] : [...found]
  }

  add(object: T): void {
    for (const value of this.#values(object)) {
      const there = this.#objects.get(value)
      if (there === undefined) this.#objects.set(value, new Set([object]))
      else there.add(object)
    }
  }

  remove(object: T): void {
    for (const value of this.#values(object)) {
      const there = this.#objects.get(value)
      if (there === undefined) continue
      there.delete(object)
      if (there.size === 0) this.#objects.delete(value)
    }
  }

  #values(object: T): readonly string[] {
    try {
      return this.valuesOf(object)
    } catch (error) {
      this.#onError(error)
      return []
    }
  }
}
