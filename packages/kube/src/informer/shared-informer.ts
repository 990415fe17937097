import type { ApiObject, Kind, ObjectRef, ResourceType } from '@orrery/kinds'
import { resourceName } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import type { Selection } from '../client/options.js'
import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import { Cache } from './cache.js'
import { Collection } from './collection.js'
import { type InformerHealth, Outage } from './outage.js'
import { Reflector } from './reflector.js'
import { SyncWaiters } from './sync-waiters.js'
import { type TransformOptions, transformer } from './transform.js'
import type { Change, Informer } from './types.js'

/** Statistics of an informer. All but `objects` only grow. */
export interface InformerStats {
  /** The number of objects. */
  readonly objects: number
  /** How often it listed everything: once, and again whenever it could not continue a watch. */
  readonly fills: number
  /** The number of watches opened. */
  readonly watches: number
  /** The number of events received, without bookmarks. */
  readonly events: number
  readonly failures: number
}

export interface SharedInformerOptions extends TransformOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly random: () => number
  readonly freeze: boolean
}

/** An informer that is shared. It runs from its creation until it is closed. */
export class SharedInformer<T extends ApiObject = ApiObject> implements Informer<T> {
  readonly kind: Kind<T, object>
  readonly selection: Selection
  readonly #cache: Cache<T>
  readonly #outage: Outage
  readonly #reflector: Reflector<T>
  readonly #closing = new AbortController()
  readonly #waiters = new SyncWaiters()
  readonly #onError: (error: unknown) => void
  readonly #done: Promise<void>

  constructor(client: KubeClient, kind: Kind<T, object>, selection: Selection, options: SharedInformerOptions) {
    this.kind = kind
    this.selection = selection
    const { clock, log, random } = options
    const about = { kind: kind.kind, resource: resourceName(kind), ...selection }
    this.#onError = (error) => log.error('a subscriber of the informer threw', { ...about, error })
    this.#cache = new Cache({
      transform: transformer(kind, options),
      freeze: options.freeze,
      onHandlerError: this.#onError,
    })
    this.#outage = new Outage(clock, log, about)
    this.#reflector = new Reflector({
      collection: new Collection(client, kind, selection, options.metadataOnly === true),
      cache: this.#cache,
      clock,
      outage: this.#outage,
      random,
      onFilled: () => this.#waiters.release(),
    })
    this.#done = this.#reflector.run(this.#closing.signal)
  }

  get synced(): boolean {
    return this.#cache.synced
  }

  /** Whether it was closed. */
  get closed(): boolean {
    return this.#closing.signal.aborted
  }

  get size(): number {
    return this.#cache.store.size
  }

  get health(): InformerHealth {
    return this.#outage.health
  }

  get stats(): InformerStats {
    return { objects: this.size, ...this.#reflector.counts }
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    if (this.synced) return Promise.resolve()
    if (this.closed && signal?.aborted !== true) return Promise.reject(closedError(this.kind))
    return this.#waiters.wait(signal)
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

  /**
   * Stops it for all users. Its objects can still be read, but no longer change. Resolves when no request is active.
   */
  close(): Promise<void> {
    this.#closing.abort()
    this.#waiters.fail(closedError(this.kind))
    return this.#done
  }
}

function closedError(kind: ResourceType): Error {
  return new Error(`the informer for ${resourceName(kind)} was closed`)
}
