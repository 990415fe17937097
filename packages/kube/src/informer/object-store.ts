import type { ApiObject, Mutable, ObjectMeta } from '@orrery/kinds'
import { ObjectIndex } from './object-index.js'

interface NamespaceObjects<T> {
  readonly namespace: string
  readonly objects: Map<string, T>
}

/**
 * Objects by namespace and name, and by further indexes. A map for each namespace avoids building and storing
 * combined keys.
 */
export class ObjectStore<T extends ApiObject> implements Iterable<T> {
  readonly #namespaces = new Map<string, NamespaceObjects<T>>()
  readonly #indexes = new Map<string, ObjectIndex<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#namespaces.get(namespace ?? '')?.objects.get(name)
  }

  /** All objects, or those of a namespace. */
  list(namespace?: string): T[] {
    if (namespace === undefined || namespace === '') return [...this]
    const found = this.#namespaces.get(namespace)
    return found === undefined ? [] : [...found.objects.values()]
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const { objects } of this.#namespaces.values()) yield* objects.values()
  }

  /** Adds an object or replaces the one of its name. */
  put(object: T): void {
    const { name, namespace = '' } = object.metadata
    let there = this.#namespaces.get(namespace)
    if (there === undefined) {
      there = { namespace, objects: new Map() }
      this.#namespaces.set(namespace, there)
    }
    // Every object came with its own copy of the string: sharing one saves memory.
    if (namespace !== '') (object.metadata as Mutable<ObjectMeta>).namespace = there.namespace
    const before = there.objects.get(name)
    there.objects.set(name, object)
    if (before === undefined) this.#size++
    for (const index of this.#indexes.values()) {
      if (before !== undefined) index.remove(before)
      index.add(object)
    }
  }

  delete(namespace: string | undefined, name: string): T | undefined {
    const there = this.#namespaces.get(namespace ?? '')
    const before = there?.objects.get(name)
    if (there === undefined || before === undefined) return undefined
    there.objects.delete(name)
    this.#size--
    if (there.objects.size === 0) this.#namespaces.delete(there.namespace)
    for (const index of this.#indexes.values()) index.remove(before)
    return before
  }

  /** Adds an index and fills it. A second one of the same name must have the same function. */
  addIndex(name: string, valuesOf: (object: T) => readonly string[], onError: (error: unknown) => void): void {
    const known = this.#indexes.get(name)
    if (known !== undefined) {
      if (known.valuesOf === valuesOf) return
      throw new TypeError(`the index ${name} exists already, with another function`)
    }
    const index = new ObjectIndex(valuesOf, onError)
    for (const object of this) index.add(object)
    this.#indexes.set(name, index)
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name)
    if (index === undefined) throw new TypeError(`the index ${name} does not exist: add it with addIndex`)
    return index.at(value)
  }
}
