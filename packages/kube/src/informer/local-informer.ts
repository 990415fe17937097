import type { ApiObject, Kind, ObjectRef } from '@orrery/kinds'
import { jsonEqual } from '@orrery/kinds/values'
import { type Logger, stderrLogger } from '../log.js'
import { Cache } from './cache.js'
import { SyncWaiters } from './sync-waiters.js'
import type { Change, Informer } from './types.js'

export interface LocalInformerOptions {
  /** The namespace that all objects are in. Default: they may be in any. */
  readonly namespace?: string
  /** Logs subscribers that throw. Default: to stderr. */
  readonly log?: Logger
}

/**
 * An informer that its owner fills. Controllers use it like any other informer, with objects that come from another
 * source than a Kubernetes watch, for example CloudEvents.
 */
export class LocalInformer<T extends ApiObject = ApiObject> implements Informer<T> {
  readonly kind: Kind<T, object>
  readonly selection: { readonly namespace?: string }
  readonly #cache: Cache<T>
  readonly #waiters = new SyncWaiters()
  readonly #onError: (error: unknown) => void

  constructor(kind: Kind<T, object>, { namespace, log = stderrLogger }: LocalInformerOptions = {}) {
    this.kind = kind
    this.selection = namespace === undefined ? {} : { namespace }
    this.#onError = (error) => log.error('a subscriber of the informer threw', { kind: kind.kind, error })
    this.#cache = new Cache<T>({
      // The owner keeps its own object, and the store modifies the metadata of the copy.
      transform: (object) => ({ ...object, metadata: { ...object.metadata } }),
      freeze: false,
      isSame: jsonEqual,
      onHandlerError: this.#onError,
    })
  }

  get synced(): boolean {
    return this.#cache.synced
  }

  get size(): number {
    return this.#cache.store.size
  }

  /** Adds an object or replaces the one of its name. An equal object is no change. */
  set(object: T): void {
    this.#cache.put(object)
  }

  delete(ref: ObjectRef): void {
    const object = this.get(ref)
    if (object !== undefined) this.#cache.remove(object)
  }

  /** Replaces all objects, as after a resync. The informer has synced after the first call. */
  replace(objects: Iterable<T>): void {
    this.#cache.beginFill()
    for (const object of objects) this.#cache.put(object)
    this.#cache.endFill()
    this.#waiters.release()
  }

  async whenSynced(signal?: AbortSignal): Promise<void> {
    if (!this.synced) await this.#waiters.wait(signal)
  }

  get({ namespace, name }: ObjectRef): T | undefined {
    return this.#cache.store.get(namespace, name)
  }

  list(namespace?: string): T[] {
    return this.#cache.store.list(namespace)
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#cache.store.byIndex(index, value)
  }

  addIndex(index: string, valuesOf: (object: T) => readonly string[]): void {
    this.#cache.store.addIndex(index, valuesOf, this.#onError)
  }

  subscribe(onChange: (change: Change<T>) => void): () => void {
    return this.#cache.feed.subscribe(onChange, this.#cache.store)
  }
}
