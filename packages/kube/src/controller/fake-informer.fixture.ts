import type { ApiObject, Kind, ObjectMeta, ObjectRef } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import { LocalInformer } from '../informer/local-informer.js'
import type { Change } from '../informer/types.js'

/** The fields of an object that a test sets; the rest has defaults. */
export type Fields<T extends ApiObject> = Partial<Omit<T, 'metadata'>> & { readonly metadata: ObjectMeta & ObjectRef }

/** A local informer that completes the objects of a test, and counts its subscribers. */
export class FakeInformer<T extends ApiObject = ApiObject> extends LocalInformer<T> {
  readonly #subscribers = new Set<(change: Change<T>) => void>()
  #version = 0

  constructor(kind: Kind<T, object>, objects: readonly Fields<T>[] = []) {
    super(kind)
    for (const object of objects) this.write(object)
  }

  /** The number of subscribers. */
  get subscribers(): number {
    return this.#subscribers.size
  }

  /** Marks the first list as complete. */
  sync(): this {
    this.replace(this.list())
    return this
  }

  /** Adds or replaces an object, as a new version, and returns it. */
  write(fields: Fields<T>): T {
    const { group, version, kind } = this.kind
    this.set({
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      ...fields,
      metadata: {
        uid: `uid-${keyOf(fields.metadata)}`,
        creationTimestamp: '2030-01-01T00:00:00Z',
        ...fields.metadata,
        resourceVersion: String(++this.#version),
      },
    } as unknown as T)
    return this.get(fields.metadata) as T
  }

  /** Delivers an object again without a change, as a resync of the cache does. */
  repeat(ref: ObjectRef): void {
    const object = this.get(ref)
    if (object === undefined) return
    for (const onChange of this.#subscribers) {
      onChange({ type: 'updated', after: object, before: object, initial: false })
    }
  }

  override subscribe(onChange: (change: Change<T>) => void): () => void {
    this.#subscribers.add(onChange)
    const unsubscribe = super.subscribe(onChange)
    return () => {
      this.#subscribers.delete(onChange)
      unsubscribe()
    }
  }
}
