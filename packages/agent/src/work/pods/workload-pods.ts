import type { Pod } from '@orrery/kinds'
import { Informers, type KubeClient, type Logger } from '@orrery/kube'
import type { Selection } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import type { DynamicObject } from '@orrery/kube/discovery'
import { PodScope } from './pod-scope.js'
import { podSelectorOf } from './workload.js'

export interface WorkloadPodsOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
}

interface Wanted {
  readonly namespace: string
  readonly selector: string
  readonly holders: Set<string>
}

/** With more workloads than this, one watch for each namespace is cheaper; with more namespaces, one for all. */
const MAX_SELECTIONS = 8
const ALL: Selection = {}

/**
 * The pods of workloads that are not ready, which show the reason. They are watched only while a work needs them: one
 * watch for each workload while there are few, one for each namespace or for the cluster while there are many.
 */
export class WorkloadPods {
  readonly #informers: Informers
  /** By uid of the workload. */
  readonly #wanted = new Map<string, Wanted>()
  readonly #byHolder = new Map<string, ReadonlySet<string>>()
  readonly #scopes = new Map<string, PodScope>()
  readonly #listeners = new Set<(holder: string) => void>()

  constructor({ client, clock, log }: WorkloadPodsOptions) {
    this.#informers = new Informers(client, { clock, log })
  }

  /** The number of selections that are watched. */
  get size(): number {
    return this.#scopes.size
  }

  /** Sets the workloads whose pods a holder, such as a work, needs. Replaces the earlier ones. */
  want(holder: string, workloads: readonly DynamicObject[]): void {
    const before = this.#byHolder.get(holder)
    if (before === undefined && workloads.length === 0) return
    const uids = new Set<string>()
    let isChanged = false
    for (const workload of workloads) {
      const { uid, namespace = '' } = workload.metadata
      const selector = podSelectorOf(workload)
      if (selector === undefined) continue
      uids.add(uid)
      const known = this.#wanted.get(uid)
      if (known !== undefined) {
        known.holders.add(holder)
        continue
      }
      this.#wanted.set(uid, { namespace, selector, holders: new Set([holder]) })
      isChanged = true
    }
    for (const uid of before ?? []) {
      const known = this.#wanted.get(uid)
      if (uids.has(uid) || known === undefined) continue
      known.holders.delete(holder)
      if (known.holders.size > 0) continue
      this.#wanted.delete(uid)
      isChanged = true
    }
    if (uids.size === 0) this.#byHolder.delete(holder)
    else this.#byHolder.set(holder, uids)
    if (isChanged) this.#settle()
  }

  /** The pods of the latest revision of a workload; undefined while they are not known. */
  podsOf(workload: DynamicObject): readonly Pod[] | undefined {
    const wanted = this.#wanted.get(workload.metadata.uid)
    return wanted && this.#scopeOf(wanted)?.podsOf(workload)
  }

  /** Calls back with each holder whose workloads' pods changed. Returns a function that unsubscribes. */
  subscribe(onChange: (holder: string) => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  async close(): Promise<void> {
    for (const scope of this.#scopes.values()) scope.close()
    this.#scopes.clear()
    await this.#informers.close()
  }

  /** Opens the watches that are needed. Others are closed once the new ones have synced, so that nothing is lost. */
  #settle(): void {
    const selections = this.#selections()
    for (const [key, selection] of selections) {
      if (this.#scopes.has(key)) continue
      const scope = new PodScope(this.#informers, selection, (uid) => this.#changed(uid))
      this.#scopes.set(key, scope)
    }
    this.#dropUnused(selections)
  }

  #dropUnused(selections: ReadonlyMap<string, Selection>): void {
    const isSettled = [...selections.keys()].every((key) => this.#scopes.get(key)?.synced === true)
    const useful = new Set(selections.keys())
    if (!isSettled) for (const wanted of this.#wanted.values()) for (const key of keysFor(wanted)) useful.add(key)
    for (const [key, scope] of this.#scopes) {
      if (useful.has(key)) continue
      this.#scopes.delete(key)
      scope.close()
    }
  }

  #selections(): Map<string, Selection> {
    const ofWorkloads = new Map<string, Selection>()
    const ofNamespaces = new Map<string, Selection>()
    for (const { namespace, selector } of this.#wanted.values()) {
      ofWorkloads.set(keyOf(namespace, selector), { namespace, labelSelector: selector })
      ofNamespaces.set(keyOf(namespace), { namespace })
    }
    if (ofWorkloads.size <= MAX_SELECTIONS) return ofWorkloads
    return ofNamespaces.size <= MAX_SELECTIONS ? ofNamespaces : new Map([[keyOf(), ALL]])
  }

  #scopeOf(wanted: Wanted): PodScope | undefined {
    for (const key of keysFor(wanted)) {
      const scope = this.#scopes.get(key)
      if (scope?.synced === true) return scope
    }
    return undefined
  }

  /** Undefined when a selection has just synced: those that waited for it can continue. */
  #changed(uid: string | undefined): void {
    if (uid === undefined) this.#dropUnused(this.#selections())
    const holders = uid === undefined ? this.#byHolder.keys() : (this.#wanted.get(uid)?.holders ?? [])
    for (const holder of [...holders]) for (const listener of this.#listeners) listener(holder)
  }
}

function keyOf(namespace = '', selector = ''): string {
  return `${namespace} ${selector}`
}

/** The possible selections for the pods of a workload. */
function keysFor({ namespace, selector }: Wanted): readonly string[] {
  return [keyOf(), keyOf(namespace), keyOf(namespace, selector)]
}
