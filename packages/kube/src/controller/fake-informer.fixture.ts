import type { ApiObject, Kind, ObjectMeta, ObjectRef } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import type { Change, Informer } from '../informer/types.js'

/** The fields of an object that a test sets; the rest has defaults. */
export type Fields<T extends ApiObject> = Partial<Omit<T, 'metadata'>> & { readonly metadata: ObjectMeta & ObjectRef }

/** An informer with objects from a test. */
export class FakeInformer<T extends ApiObject = ApiObject> implements Informer<T> {
  readonly kind: Kind<T, object>
  readonly selection = {}
  readonly #objects = new Map<string, T>()
  readonly #indexes = new Map<string, (object: T) => readonly string[]>()
  readonly #subscribers = new Set<(change: Change<T>) => void>()
  readonly #filled: Promise<void>
  #fill: () => void = () => undefined
  #synced = false
  #version = 0

  constructor(kind: Kind<T, object>, objects: readonly Fields<T>[] = []) {
    this.kind = kind
    this.#filled = new Promise((resolve) => {
      this.#fill = resolve
    })
    for (const object of objects) this.set(object)
  }

  get synced(): boolean {
    return this.#synced
  }

  get size(): number {
    return this.#objects.size
  }

  /** The number of subscribers. */
  get subscribers(): number {
    return this.#subscribers.size
  }

  /** Marks the first list as complete. */
  sync(): this {
    this.#synced = true
    this.#fill()
    return this
  }

  /** Adds or replaces an object, as a new version. */
  set(fields: Fields<T>): T {
    const { group, version, kind } = this.kind
    const object = {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      ...fields,
      metadata: {
        uid: `uid-${keyOf(fields.metadata)}`,
        creationTimestamp: '2030-01-01T00:00:00Z',
        ...fields.metadata,
        resourceVersion: String(++this.#version),
      },
    } as unknown as T
    const before = this.#objects.get(keyOf(object.metadata))
    this.#objects.set(keyOf(object.metadata), object)
    const initial = !this.#synced
    if (before === undefined) this.#notify({ type: 'added', after: object, before, initial })
    else this.#notify({ type: 'updated', after: object, before, initial })
    return object
  }

  /** Delivers an object again without a change. */
  repeat(ref: ObjectRef): void {
    const object = this.get(ref)
    if (object !== undefined) this.#notify({ type: 'updated', after: object, before: object, initial: false })
  }

  delete(ref: ObjectRef): void {
    const before = this.get(ref)
    if (before === undefined) return
    this.#objects.delete(keyOf(ref))
    this.#notify({ type: 'deleted', after: undefined, before, initial: false })
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    if (signal === undefined) return this.#filled
    const aborted = new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    return Promise.race([this.#filled, aborted])
  }

  get(ref: ObjectRef): T | undefined {
    return this.#objects.get(keyOf(ref))
  }

  list(namespace?: string): T[] {
    const all = [...this.#objects.values()]
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace)
  }

  byIndex(index: string, value: string): readonly T[] {
    const valuesOf = this.#indexes.get(index)
    if (valuesOf === undefined) throw new Error(`the index ${JSON.stringify(index)} does not exist`)
    return this.list().filter((object) => valuesOf(object).includes(value))
  }

  addIndex(index: string, valuesOf: (object: T) => readonly string[]): void {
    this.#indexes.set(index, valuesOf)
  }

  subscribe(onChange: (change: Change<T>) => void): () => void {
    this.#subscribers.add(onChange)
    for (const after of this.#objects.values()) onChange({ type: 'added', after, before: undefined, initial: true })
    return () => {
      this.#subscribers.delete(onChange)
    }
  }

  #notify(change: Change<T>): void {
    for (const onChange of [...this.#subscribers]) onChange(change)
  }
}
