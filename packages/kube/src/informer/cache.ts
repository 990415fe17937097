import type { ApiObject } from '@orrery/kinds'
import { failure } from '@orrery/kinds/values'
import { Feed } from './feed.js'
import { ObjectStore } from './object-store.js'
import { deepFreeze } from './transform.js'

export interface CacheOptions<T> {
  /** Makes an object as it came fit to be kept. */
  readonly transform: (object: T) => T
  /** Make kept objects unchangeable. */
  readonly freeze: boolean
  /** Whether a received object is the one that is kept already. Default: it has the same uid and resourceVersion. */
  readonly isSame?: (kept: T, received: T) => boolean
  /** Hears of subscribers that threw. */
  readonly onHandlerError: (error: unknown) => void
}

/**
 * The objects an informer knows, and who hears when they change. It is filled, object by object, and then kept up to
 * date; when it is filled again, only what really changed is a change, and what did not come again is gone.
 */
export class Cache<T extends ApiObject> {
  readonly store = new ObjectStore<T>()
  readonly feed: Feed<T>
  readonly #transform: (object: T) => T
  readonly #isSame: (kept: T, received: T) => boolean
  readonly #freeze: boolean
  #synced = false
  /** While the cache is filled again: what came. The first time, everything in it came. */
  #came: Set<T> | undefined
  #trustsVersions = true

  constructor(options: CacheOptions<T>) {
    this.feed = new Feed(options.onHandlerError)
    this.#transform = options.transform
    this.#isSame = options.isSame ?? isSameVersion
    this.#freeze = options.freeze
  }

  /** Whether it was filled once. */
  get synced(): boolean {
    return this.#synced
  }

  /** Versions are not to be trusted when the server may have given one to another state before. */
  beginFill(trustVersions = true): void {
    this.#trustsVersions = trustVersions
    this.#came = this.store.size === 0 ? undefined : new Set()
  }

  /** Forgets what did not come since the fill began. */
  endFill(): void {
    const came = this.#came
    this.#came = undefined
    this.#trustsVersions = true
    if (came !== undefined) {
      for (const object of this.store) if (!came.has(object)) this.#delete(object, object)
    }
    this.#synced = true
  }

  /** Takes an object as it is now. Tells whether it came for the first time since the fill began. */
  put(received: T): boolean {
    const { metadata } = named(received)
    let before = this.store.get(metadata.namespace, metadata.name)
    const isFirst = before === undefined || this.#came?.has(before) === false
    if (before !== undefined && this.#trustsVersions && this.#isSame(before, received)) {
      this.#came?.add(before)
      return isFirst
    }
    if (before !== undefined && before.metadata.uid !== metadata.uid) {
      // Another object took the name while nobody watched.
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

  /** Takes the last state of an object that is gone. */
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

/** The same state of the same object: nothing a server sends twice is a change. */
function isSameVersion(known: ApiObject, received: ApiObject): boolean {
  const { resourceVersion = '', uid } = received.metadata
  return resourceVersion !== '' && known.metadata.resourceVersion === resourceVersion && known.metadata.uid === uid
}

function named<T extends ApiObject>(object: T): T {
  if (typeof object?.metadata?.name === 'string') return object
  throw failure(500, 'InternalError', 'the server sent an object without a name')
}
