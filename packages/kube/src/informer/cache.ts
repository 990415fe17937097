import type { ApiObject } from '@orrery/kinds'
import { failure } from '@orrery/kinds/values'
import { Feed } from './feed.js'
import { ObjectStore } from './object-store.js'
import { deepFreeze } from './transform.js'

export interface CacheOptions<T> {
  /** Prepares a received object for the cache. */
  readonly transform: (object: T) => T
  /** Freeze cached objects. */
  readonly freeze: boolean
  /** Whether a received object equals the cached one. Default: it has the same uid and resourceVersion. */
  readonly isSame?: (kept: T, received: T) => boolean
  /** Called for subscribers that threw. */
  readonly onHandlerError: (error: unknown) => void
}

/**
 * The objects of an informer, and its subscribers. A fill adds all objects, then changes update them. Another fill
 * reports only real changes, and removes objects that it does not contain.
 */
export class Cache<T extends ApiObject> {
  readonly store = new ObjectStore<T>()
  readonly feed: Feed<T>
  readonly #transform: (object: T) => T
  readonly #isSame: (kept: T, received: T) => boolean
  readonly #freeze: boolean
  #synced = false
  /** During another fill: the objects received. During the first fill, that is everything. */
  #came: Set<T> | undefined
  #trustsVersions = true

  constructor(options: CacheOptions<T>) {
    this.feed = new Feed(options.onHandlerError)
    this.#transform = options.transform
    this.#isSame = options.isSame ?? isSameVersion
    this.#freeze = options.freeze
  }

  /** Whether the first fill has ended. */
  get synced(): boolean {
    return this.#synced
  }

  /** Resource versions are not trusted if the server may have issued one twice. */
  beginFill(trustVersions = true): void {
    this.#trustsVersions = trustVersions
    this.#came = this.store.size === 0 ? undefined : new Set()
  }

  /** Removes the objects that were not received since the fill began. */
  endFill(): void {
    const came = this.#came
    this.#came = undefined
    this.#trustsVersions = true
    if (came !== undefined) {
      for (const object of this.store) if (!came.has(object)) this.#delete(object, object)
    }
    this.#synced = true
  }

  /** Stores the current state of an object. Returns whether it was received for the first time since the fill began. */
  put(received: T): boolean {
    const { metadata } = named(received)
    let before = this.store.get(metadata.namespace, metadata.name)
    const isFirst = before === undefined || this.#came?.has(before) === false
    if (before !== undefined && this.#trustsVersions && this.#isSame(before, received)) {
      this.#came?.add(before)
      return isFirst
    }
    if (before !== undefined && before.metadata.uid !== metadata.uid) {
      // The object was deleted and recreated while there was no watch.
      this.#delete(before, before)
      before = undefined
    }
    const after = this.#transform(received)
    this.store.put(after)
    if (this.#freeze) deepFreeze(after)
    this.#came?.add(after)
    if (this.feed.size > 0) {
      const initial = !this.#synced
      this.feed.publish(
        before === undefined
          ? { type: 'added', after, before: undefined, initial }
          : { type: 'updated', after, before, initial },
      )
    }
    return isFirst
  }

  /** Removes a deleted object, given its last state. */
  remove(received: T): void {
    const { metadata } = named(received)
    const before = this.store.get(metadata.namespace, metadata.name)
    if (before === undefined) return
    const last = this.#transform(received)
    if (this.#freeze) deepFreeze(last)
    this.#delete(before, last)
  }

  #delete(known: T, last: T): void {
    this.store.delete(known.metadata.namespace, known.metadata.name)
    if (this.feed.size > 0) this.feed.publish({ type: 'deleted', after: undefined, before: last, initial: false })
  }
}

/** The same state of the same object: a repetition is no change. */
function isSameVersion(known: ApiObject, received: ApiObject): boolean {
  const { resourceVersion = '', uid } = received.metadata
  return resourceVersion !== '' && known.metadata.resourceVersion === resourceVersion && known.metadata.uid === uid
}

function named<T extends ApiObject>(object: T): T {
  if (typeof object?.metadata?.name === 'string') return object
  throw failure(500, 'InternalError', 'the server sent an object without a name')
}
