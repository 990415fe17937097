import type { Kind, ObjectRef } from '@orrery/kinds'
import type { Informers } from '@orrery/kube'
import type { DynamicObject } from '@orrery/kube/discovery'
import { type Entry, namespacedRef } from './entry.js'
import { type Extent, extentKey, Scope } from './scope.js'

/** With more namespaces than this, one watch for all is cheaper. */
const MAX_NAMESPACES = 8
const ALL: Extent = { type: 'all' }

export interface KindWatchesOptions {
  readonly informers: Informers
  readonly kind: Kind<DynamicObject, object>
  /** Whether one more watch may be opened. */
  readonly mayOpen: () => boolean
  /** Called when the object of an entry changes or becomes known. */
  readonly onChange: (entry: Entry, before: DynamicObject | undefined, after: DynamicObject | undefined) => void
}

/**
 * The watches of one resource. A single object has a watch of its own, so that nothing else is read. Several objects
 * in a namespace share a watch of the namespace, and many namespaces share a watch of the whole resource. Watches are
 * widened as needed and closed when no object needs them. A wider watch takes over when it has synced, so that no
 * object is unknown in between.
 */
export class KindWatches {
  readonly #options: KindWatchesOptions
  /** Entries by namespace and name. */
  readonly #entries = new Map<string, Map<string, Entry>>()
  readonly #scopes = new Map<string, Scope>()

  constructor(options: KindWatchesOptions) {
    this.#options = options
  }

  /** The number of open watches. */
  get size(): number {
    return this.#scopes.size
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  /** The error of an object's watch. */
  failure({ ref }: Entry): Error | undefined {
    for (const extent of extentsFor(ref)) {
      const failure = this.#scopes.get(extentKey(extent))?.failure
      if (failure !== undefined) return failure
    }
    return undefined
  }

  /** Whether a watch covers the object, or may soon. */
  hasHope({ ref }: Entry): boolean {
    return extentsFor(ref).some((extent) => {
      const scope = this.#scopes.get(extentKey(extent))
      return scope !== undefined && scope.failure === undefined
    })
  }

  add(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const { namespace, name } = entry.ref
      const inNamespace = this.#entries.get(namespace)
      if (inNamespace === undefined) this.#entries.set(namespace, new Map([[name, entry]]))
      else inNamespace.set(name, entry)
    }
    if (!this.#scopes.has(extentKey(ALL))) this.#open()
    for (const entry of entries) {
      const scope = this.#filledScope(entry)
      if (scope !== undefined) this.#attach(entry, scope)
    }
  }

  remove(entries: readonly Entry[]): void {
    for (const { ref } of entries) {
      const inNamespace = this.#entries.get(ref.namespace)
      inNamespace?.delete(ref.name)
      if (inNamespace?.size === 0) this.#entries.delete(ref.namespace)
    }
    this.#dropUnused()
  }

  #open(): void {
    for (const extent of this.#wantedExtents()) {
      const key = extentKey(extent)
      if (this.#scopes.has(key) || !this.#options.mayOpen()) continue
      const scope = new Scope(extent, {
        informers: this.#options.informers,
        kind: this.#options.kind,
        onChange: (ref, before, after) => this.#changed(scope, ref, before, after),
        onSynced: () => this.#takeOver(scope),
      })
      this.#scopes.set(key, scope)
    }
  }

  #wantedExtents(): Extent[] {
    if (this.#entries.size > MAX_NAMESPACES) return [ALL]
    return Array.from(this.#entries, ([namespace, entries]): Extent => {
      const whole: Extent = namespace === '' ? ALL : { type: 'namespace', namespace }
      const [only] = entries.keys()
      const isAlone = entries.size === 1 && only !== undefined && !this.#scopes.has(extentKey(whole))
      return isAlone ? { type: 'object', namespace, name: only } : whole
    })
  }

  /** A watch has synced: it covers its objects from now on. */
  #takeOver(scope: Scope): void {
    for (const entry of this.#covered(scope.extent)) {
      if (this.#filledScope(entry) === scope) this.#attach(entry, scope)
    }
    this.#dropUnused()
  }

  *#covered(extent: Extent): Generator<Entry> {
    if (extent.type === 'all') for (const entries of this.#entries.values()) yield* entries.values()
    else if (extent.type === 'namespace') yield* this.#entries.get(extent.namespace)?.values() ?? []
    else {
      const entry = this.#entries.get(extent.namespace)?.get(extent.name)
      if (entry !== undefined) yield entry
    }
  }

  /** The widest synced watch that covers an object. */
  #filledScope({ ref }: Entry): Scope | undefined {
    for (const extent of extentsFor(ref)) {
      const scope = this.#scopes.get(extentKey(extent))
      if (scope?.synced === true) return scope
    }
    return undefined
  }

  #attach(entry: Entry, scope: Scope): void {
    if (entry.scope === scope) return
    const ref = namespacedRef(entry.ref)
    const wasKnown = entry.scope !== undefined
    const before = wasKnown ? entry.scope?.get(ref) : entry.asked?.object
    entry.scope = scope
    entry.asked = undefined
    const after = scope.get(ref)
    if (wasKnown && before?.metadata.resourceVersion === after?.metadata.resourceVersion) return
    this.#options.onChange(entry, before, after)
  }

  #changed(scope: Scope, ref: ObjectRef, before: DynamicObject | undefined, after: DynamicObject | undefined): void {
    const entry = this.#entries.get(ref.namespace ?? '')?.get(ref.name)
    if (entry?.scope === scope) this.#options.onChange(entry, before, after)
  }

  /** Closes watches that no object needs, and those that a wider one has replaced. */
  #dropUnused(): void {
    for (const [key, scope] of this.#scopes) {
      const [first] = this.#covered(scope.extent)
      if (first !== undefined && (!scope.synced || this.#filledScope(first) === scope)) continue
      this.#scopes.delete(key)
      void scope.close()
    }
  }
}

/** The possible extents of a watch for an object, the widest first. */
function extentsFor({ namespace, name }: Entry['ref']): readonly Extent[] {
  return [ALL, { type: 'namespace', namespace }, { type: 'object', namespace, name }]
}
