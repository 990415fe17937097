import type { KubeObject } from '@orrery/kinds'
import { isNotFound } from '@orrery/kinds/values'
import { type Identity, SYSTEM_MASTER } from '../identity/identity.js'
import type { Change } from '../store/types.js'
import type { Catalog } from './catalog.js'
import type { WriteContext } from './context.js'
import { create } from './create.js'
import { type DeleteOptions, remove } from './delete.js'
import type { KindLogic } from './kind-logic.js'
import { modify } from './modify.js'
import type { Registry } from './registry.js'

/** A resource by group and plural, as in `{ group: 'apps', resource: 'deployments' }`. */
export interface ResourceRef {
  readonly group: string
  readonly resource: string
}

/**
 * The client of the server's controllers: the same verbs, without HTTP and authorization. Returned objects are shared
 * and must not be modified.
 */
export class InternalClient {
  readonly #registry: Registry
  readonly #catalog: Catalog
  readonly #manager: string
  readonly #identity: Identity

  constructor(registry: Registry, catalog: Catalog, manager: string, identity: Identity = SYSTEM_MASTER) {
    this.#registry = registry
    this.#catalog = catalog
    this.#manager = manager
    this.#identity = identity
  }

  /** Returns the durable object in its storage version; undefined if it does not exist. */
  get(ref: ResourceRef, namespace: string, name: string): KubeObject | undefined {
    return this.#registry.store.get(bucketOf(ref), namespace, name)?.object()
  }

  /** Returns all objects of a namespace, or of all namespaces, in their storage version. */
  list(ref: ResourceRef, namespace?: string): KubeObject[] {
    return this.#registry.store.page({ bucket: bucketOf(ref), namespace }).entries.map((entry) => entry.object())
  }

  async create(ref: ResourceRef, object: KubeObject): Promise<KubeObject> {
    const { name = '', namespace = '' } = object.metadata
    const context = this.#context(ref, namespace, name, '')
    context.logic.applyDefaults(object)
    return (await create(this.#registry, context, object)).object
  }

  /**
   * Reads, changes and writes one object, with retries on conflict. `change` gets a shared object and returns a changed
   * copy, or the same object to leave it. Returns undefined if the object does not exist.
   */
  async change(
    ref: ResourceRef,
    namespace: string,
    name: string,
    change: (live: KubeObject) => KubeObject,
    subresource = '',
  ): Promise<KubeObject | undefined> {
    try {
      const context = this.#context(ref, namespace, name, subresource)
      const modification = { options: 'UpdateOptions', endsUnchanged: true, change } as const
      return (await modify(this.#registry, context, modification)).object
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** Deletes an object. Does nothing if it does not exist. */
  async delete(ref: ResourceRef, namespace: string, name: string, options: Partial<DeleteOptions> = {}): Promise<void> {
    const full: DeleteOptions = {
      gracePeriodSeconds: undefined,
      propagationPolicy: undefined,
      uid: undefined,
      resourceVersion: undefined,
      dryRun: false,
      cascadeAsked: false,
      ...options,
    }
    try {
      await remove(this.#registry, this.#context(ref, namespace, name, ''), full)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** Calls back with every durable change of a resource. Returns a function that stops it. */
  onChange(ref: ResourceRef, listener: (change: Change) => void): () => void {
    const bucket = bucketOf(ref)
    return this.#registry.store.subscribe((changes) => {
      for (const change of changes) if (change.entry.bucket === bucket) listener(change)
    })
  }

  #context(ref: ResourceRef, namespace: string, name: string, subresource: string): WriteContext {
    return {
      identity: this.#identity,
      logic: this.#logic(ref),
      namespace,
      name,
      subresource,
      warnings: [],
      annotations: {},
      requireAccess: () => Promise.resolve(),
      waitFor: (answer) => answer(),
      options: { dryRun: false, fieldManager: '', fieldValidation: 'Ignore', validationAsked: false, force: undefined },
      manager: this.#manager,
    }
  }

  #logic(ref: ResourceRef): KindLogic {
    const logic = this.#catalog.stored(ref.group, ref.resource)
    if (logic === undefined) throw new Error(`${ref.resource}.${ref.group} is not served`)
    return logic
  }
}

/** Returns the bucket of a resource. */
export function bucketOf(ref: ResourceRef): string {
  return ref.group === '' ? ref.resource : `${ref.resource}.${ref.group}`
}
