import type { ApiObject, Kind, ResourceType } from '@orrery/kinds'
import { resourceName } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import type { Selection } from '../client/options.js'
import { type Clock, systemClock } from '../clock.js'
import { type Logger, stderrLogger } from '../log.js'
import { SharedInformer, type SharedInformerOptions } from './shared-informer.js'

export interface InformersOptions {
  /** Default: the system's. */
  readonly clock?: Clock
  /** Default warnings and errors to stderr. `silentLogger` writes nothing. */
  readonly log?: Logger
  /** Returns a number from 0 to 1, for jitter. Default `Math.random`. */
  readonly random?: () => number
  /** Keep `metadata.managedFields`, which is often half of an object. Default false. */
  readonly keepManagedFields?: boolean
  /** Freeze every object, to find code that changes shared objects. Slow; for tests. Default false. */
  readonly freeze?: boolean
}

/** The informers of a program: one for each kind and selection, shared by all callers. */
export class Informers {
  readonly client: KubeClient
  readonly #options: SharedInformerOptions
  readonly #informers = new Map<string, SharedInformer>()
  #closed = false

  constructor(client: KubeClient, options: InformersOptions = {}) {
    this.client = client
    this.#options = {
      clock: options.clock ?? systemClock,
      log: (options.log ?? stderrLogger).child('informer'),
      random: options.random ?? Math.random,
      keepManagedFields: options.keepManagedFields === true,
      freeze: options.freeze === true,
    }
  }

  /** The informer for the objects of a kind, or some of them. It starts with the first call. */
  of<T extends ApiObject>(kind: Kind<T, object>, selection: Selection = {}): SharedInformer<T> {
    return this.#shared(kind, selection, this.#options)
  }

  /** An informer of metadata only. The server sends no more. */
  metadataOf(kind: ResourceType, selection: Selection = {}): SharedInformer<ApiObject> {
    return this.#shared<ApiObject>(kind, selection, { ...this.#options, metadataOnly: true })
  }

  /** Resolves when all informers requested so far have synced. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all(Array.from(this.#informers.values(), (informer) => informer.whenSynced(signal)))
  }

  [Symbol.iterator](): Iterator<SharedInformer> {
    return this.#informers.values()
  }

  /** Stops one informer for all its users, and removes it. */
  async drop(informer: Pick<SharedInformer, 'close'>): Promise<void> {
    for (const [key, known] of this.#informers) if (known === informer) this.#informers.delete(key)
    await informer.close()
  }

  /** Stops all of them. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(Array.from(this.#informers.values(), (informer) => informer.close()))
  }

  #shared<T extends ApiObject>(
    kind: Kind<T, object>,
    selection: Selection,
    options: SharedInformerOptions,
  ): SharedInformer<T> {
    const key = keyOf(kind, selection, options.metadataOnly === true)
    const known = this.#informers.get(key)
    // A closed informer would show its last state forever.
    if (known !== undefined && (!known.closed || this.#closed)) return known as unknown as SharedInformer<T>
    if (this.#closed) throw new Error(`${resourceName(kind)}: these informers are closed`)
    const informer = new SharedInformer(this.client, kind, selection, options)
    this.#informers.set(key, informer as unknown as SharedInformer)
    return informer
  }
}

function keyOf({ group, version, plural }: ResourceType, selection: Selection, metadataOnly: boolean): string {
  const { namespace = '', labelSelector = '', fieldSelector = '' } = selection
  return JSON.stringify([group, version, plural, namespace, labelSelector, fieldSelector, metadataOnly])
}
