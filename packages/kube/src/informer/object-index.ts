/** Objects by values derived from them. Unused values take no memory. */
export class ObjectIndex<T> {
  readonly valuesOf: (object: T) => readonly string[]
  readonly #objects = new Map<string, Set<T>>()
  readonly #onError: (error: unknown) => void

  /** If `valuesOf` throws, the object is not in the index, and `onError` is called. */
  constructor(valuesOf: (object: T) => readonly string[], onError: (error: unknown) => void) {
    this.valuesOf = valuesOf
    this.#onError = onError
  }

  /** The number of values in use. */
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
