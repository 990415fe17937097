import type { KubeObject, OwnerReference } from '@orrery/kinds'
import { addAll, isConflict } from '@orrery/kinds/values'
import { type Requeue, requeueAfter } from '@orrery/kube/controller'
import { startInSlices } from '../../fairness/started-in-slices.js'
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../../registry/deletion-mark.js'
import type { ResourceRef } from '../../registry/internal.js'
import type { Change, Entry } from '../../store/types.js'
import { type Controller, type ControllerContext, reconciler } from '../controller.js'
import { awaitsDependents, type OwnerState, ownerState } from './owners.js'
import { type Dependent, OwnershipGraph } from './ownership.js'

/** How long to wait, in milliseconds, before an object with a conflicting change is reconciled again. */
const CONFLICT_WAIT = 5
/** Deleting a tree or orphaning it means many small writes, which share flushes. */
const CONCURRENCY = 200
// A Buffer, since it is searched in the bytes of every update and a string would be encoded each time.
const DELETED = Buffer.from('"deletionTimestamp"')

/**
 * The garbage collector: deletes objects without owners, and handles the propagation policy of a deleted owner:
 * `foregroundDeletion` keeps the owner until its dependents are deleted, `orphan` removes their references.
 */
export function garbageCollector(context: ControllerContext): Controller {
  const collector = new Collector(context)
  return reconciler(context, {
    name: 'garbage-collector',
    wakes: {},
    wakesOnEvery: (change) => collector.observe(change),
    first: () => collector.scan(),
    reconcile: (key) => collector.settle(key),
    concurrency: CONCURRENCY,
    flowOf: (key) => parseEntryKey(key).namespace,
    follow: (add) =>
      context.catalog.onChange(() => {
        for (const key of collector.scan()) add(key)
      }),
  })
}

class Collector {
  readonly #context: ControllerContext
  readonly #graph = new OwnershipGraph()
  readonly #scanned = new Set<string>()
  /** Objects that wait for their dependents: their keys by UID. */
  readonly #awaiting = new Map<string, string>()
  /** Dependents of owners whose kind is not served now. */
  readonly #unresolved = new Set<string>()

  constructor(context: ControllerContext) {
    this.#context = context
  }

  /** Reads the stored objects of new resources. Returns the keys to reconcile. */
  scan(): string[] {
    const { catalog, store } = this.#context
    const keys = [...this.#unresolved]
    this.#unresolved.clear()
    for (const { storage } of catalog.resources()) {
      if (this.#scanned.has(storage.bucket)) continue
      this.#scanned.add(storage.bucket)
      for (const entry of store.page({ bucket: storage.bucket, namespace: undefined }).entries) {
        addAll(keys, this.#learn(entry, true))
      }
    }
    return keys
  }

  /** Updates the graph with a change. Returns the keys to reconcile because of it. */
  observe({ type, entry, previous }: Change): readonly string[] | undefined {
    if (type === 'DELETED') return this.#forget(previous ?? entry)
    // A new object is never being deleted, which saves searching every new object.
    const keys = this.#learn(entry, type === 'MODIFIED')
    return keys.length === 0 ? undefined : keys
  }

  #learn(entry: Entry, mayBeLeaving: boolean): string[] {
    const { bytes, mayHaveOwners } = entry
    const keys: string[] = []
    if (mayHaveOwners || this.#graph.size > 0) this.#learnOwners(entry, mayHaveOwners, keys)
    if (!mayBeLeaving || !bytes.includes(DELETED)) return keys
    const object = entry.object()
    const { uid = '', deletionTimestamp, finalizers = [] } = object.metadata
    if (deletionTimestamp === undefined) return keys
    const key = keyOfEntry(entry)
    if (finalizers.includes(ORPHAN_FINALIZER)) keys.push(key)
    if (awaitsDependents(object)) {
      keys.push(key)
      if (this.#awaiting.has(uid)) return keys
      this.#awaiting.set(uid, key)
      this.#graph.forgetSeen(uid)
      for (const dependent of this.#graph.dependentsOf(uid)) keys.push(dependent.key)
    } else this.#awaiting.delete(uid)
    return keys
  }

  #learnOwners(entry: Entry, mayHaveOwners: boolean, keys: string[]): void {
    const key = keyOfEntry(entry)
    const before = this.#graph.get(key)
    const owners = mayHaveOwners ? (entry.object().metadata.ownerReferences ?? []) : []
    if (before === undefined && owners.length === 0) return
    // A waiting owner may have lost a dependent, or one may no longer block it.
    for (const { uid } of before?.owners ?? []) this.#pushAwaiting(uid, keys)
    if (owners.length === 0) {
      this.#graph.remove(key)
      return
    }
    const dependent = { key, namespace: entry.namespace, owners }
    this.#graph.put(dependent)
    if (!this.#allPresent(dependent)) keys.push(key)
  }

  #forget(entry: Entry): readonly string[] | undefined {
    if (this.#graph.size === 0 && this.#awaiting.size === 0) return undefined
    const key = keyOfEntry(entry)
    const keys: string[] = []
    for (const { uid } of this.#graph.get(key)?.owners ?? []) this.#pushAwaiting(uid, keys)
    this.#graph.remove(key)
    this.#unresolved.delete(key)
    const { uid = '' } = entry.object().metadata
    this.#awaiting.delete(uid)
    this.#graph.forgetSeen(uid)
    for (const dependent of this.#graph.dependentsOf(uid)) keys.push(dependent.key)
    return keys
  }

  #pushAwaiting(uid: string, keys: string[]): void {
    const key = this.#awaiting.get(uid)
    if (key !== undefined) keys.push(key)
  }

  #allPresent({ owners, namespace }: Dependent): boolean {
    return owners.every(
      (owner) => this.#graph.wasSeen(owner, namespace) || this.#stateOf(owner, namespace) === 'present',
    )
  }

  #stateOf(owner: OwnerReference, namespace: string): OwnerState {
    const { catalog, store } = this.#context
    const state = ownerState(catalog, store, owner, namespace)
    if (state === 'present') this.#graph.markSeen(owner, namespace)
    return state
  }

  /** Reconciles one object. */
  async settle(key: string): Promise<Requeue | undefined> {
    const { ref, namespace, name } = parseEntryKey(key)
    const { client, catalog } = this.#context
    const object = client.get(ref, namespace, name)
    if (object === undefined || catalog.stored(ref.group, ref.resource) === undefined) return undefined
    const place = { ref, namespace, name }
    try {
      if (object.metadata.deletionTimestamp === undefined) await this.#settleDependent(key, place, object)
      else if ((object.metadata.finalizers ?? []).includes(ORPHAN_FINALIZER))
        await this.#orphanDependents(place, object)
      else if (awaitsDependents(object)) await this.#settleAwaiting(place, object)
    } catch (error) {
      // The object changed meanwhile: decide again.
      if (isConflict(error)) return requeueAfter(CONFLICT_WAIT)
      throw error
    }
    return undefined
  }

  async #settleDependent(key: string, place: Place, object: KubeObject): Promise<void> {
    const owners = object.metadata.ownerReferences ?? []
    if (owners.length === 0) return
    const states = owners.map((owner) => this.#stateOf(owner, place.namespace))
    if (states.includes('unknown')) {
      this.#unresolved.add(key)
      return
    }
    const waiting = states.includes('waiting')
    if (states.includes('present')) {
      if (waiting || states.includes('absent')) {
        const gone = new Set(owners.filter((_, index) => states[index] !== 'present').map(({ uid }) => uid))
        await this.#dropOwners(place, object, gone)
      }
      return
    }
    const { uid = '' } = object.metadata
    if (waiting && this.#graph.hasDependents(uid)) {
      if (this.#isInCircle(uid)) await this.#unblockOwners(place, object)
      return this.#delete(place, object, 'Foreground')
    }
    return this.#delete(place, object, 'Background')
  }

  /** Returns whether a dependent waits for its own dependents, which would deadlock. */
  #isInCircle(uid: string): boolean {
    return this.#graph.dependentsOf(uid).some(({ key }) => {
      const { ref, namespace, name } = parseEntryKey(key)
      const dependent = this.#context.client.get(ref, namespace, name)
      return dependent !== undefined && awaitsDependents(dependent)
    })
  }

  #delete(
    { ref, namespace, name }: Place,
    object: KubeObject,
    propagationPolicy: 'Foreground' | 'Background',
  ): Promise<void> {
    const { uid, resourceVersion, finalizers = [] } = object.metadata
    const policy = finalizers.includes(ORPHAN_FINALIZER)
      ? 'Orphan'
      : finalizers.includes(FOREGROUND_FINALIZER)
        ? 'Foreground'
        : propagationPolicy
    // The precondition keeps an object that just got another owner.
    return this.#context.client.delete(ref, namespace, name, { uid, resourceVersion, propagationPolicy: policy })
  }

  async #settleAwaiting(place: Place, object: KubeObject): Promise<void> {
    await this.#context.store.flushed()
    if (this.#graph.isBlocked(object.metadata.uid ?? '', place.namespace)) return
    await this.#dropFinalizer(place, object, FOREGROUND_FINALIZER)
  }

  async #orphanDependents(place: Place, object: KubeObject): Promise<void> {
    await this.#context.store.flushed()
    const { uid = '' } = object.metadata
    const gone = new Set([uid])
    await startInSlices(this.#graph.dependentsOf(uid), CONCURRENCY, async ({ key }) => {
      const dependent = parseEntryKey(key)
      const live = this.#context.client.get(dependent.ref, dependent.namespace, dependent.name)
      if (live !== undefined) await this.#dropOwners(dependent, live, gone)
    })
    await this.#dropFinalizer(place, object, ORPHAN_FINALIZER)
  }

  async #dropOwners({ ref, namespace, name }: Place, seen: KubeObject, gone: ReadonlySet<string>): Promise<void> {
    await this.#context.client.change(ref, namespace, name, (live) => {
      if (live.metadata.uid !== seen.metadata.uid) return live
      const ownerReferences = (live.metadata.ownerReferences ?? []).filter(({ uid }) => !gone.has(uid))
      return { ...live, metadata: { ...live.metadata, ownerReferences } }
    })
  }

  async #unblockOwners({ ref, namespace, name }: Place, seen: KubeObject): Promise<void> {
    await this.#context.client.change(ref, namespace, name, (live) => {
      if (live.metadata.uid !== seen.metadata.uid) return live
      const ownerReferences = (live.metadata.ownerReferences ?? []).map((owner) => ({
        ...owner,
        blockOwnerDeletion: false,
      }))
      return { ...live, metadata: { ...live.metadata, ownerReferences } }
    })
  }

  async #dropFinalizer({ ref, namespace, name }: Place, seen: KubeObject, finalizer: string): Promise<void> {
    await this.#context.client.change(ref, namespace, name, (live) => {
      if (live.metadata.uid !== seen.metadata.uid) return live
      const finalizers = (live.metadata.finalizers ?? []).filter((other) => other !== finalizer)
      return { ...live, metadata: { ...live.metadata, finalizers } }
    })
  }
}

interface Place {
  readonly ref: ResourceRef
  readonly namespace: string
  readonly name: string
}

function keyOfEntry({ bucket, namespace, name }: Entry): string {
  return `${bucket}/${namespace}/${name}`
}

/** None of the three parts contains a slash, and no plural name contains a dot. */
function parseEntryKey(key: string): Place {
  const [bucket = '', namespace = '', name = ''] = key.split('/')
  const dot = bucket.indexOf('.')
  const ref =
    dot < 0 ? { group: '', resource: bucket } : { group: bucket.slice(dot + 1), resource: bucket.slice(0, dot) }
  return { ref, namespace, name }
}
