import type { KubeObject } from '@orrery/kinds'
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '@orrery/kinds/core'
import { formatQuantity, negateQuantity, type Quantity, quantityOf } from '@orrery/kinds/values'
import type { ChangeFeed } from '../../store/change-feed.js'
import type { Change, Entry, Store } from '../../store/types.js'
import { type Amounts, add, amountsOf } from '../podresources.js'
import { isInScope, requirementsOf } from './scopes.js'
import { bucketOfQuotaResource, countNamesOf, isCountedOnly, usageOf } from './usage.js'

const QUOTAS = 'resourcequotas'
const ZERO = quantityOf(0)

/** One quota with its usage. */
export class Quota {
  readonly name: string
  readonly hard: Amounts
  /** The buckets of the objects that it counts. */
  readonly buckets: ReadonlySet<string>
  readonly #scopes: readonly ScopedResourceSelectorRequirement[]
  /** The usage of stored objects. */
  readonly #used = new Map<string, Quantity>()
  /** The usage of pending writes. */
  readonly #reserved = new Map<object, Amounts>()

  constructor({ metadata, spec }: KubeObject) {
    const { hard, ...scoped } = (spec ?? {}) as ResourceQuotaSpec
    this.name = metadata.name ?? ''
    this.hard = amountsOf(hard)
    this.buckets = new Set([...this.hard.keys()].map(bucketOfQuotaResource))
    this.#scopes = requirementsOf(scoped)
  }

  /** Returns the usage of an object: only limited resources, empty if it is out of scope. */
  usageOf(bucket: string, object: KubeObject): Amounts {
    if (!this.counts(bucket, object)) return new Map()
    return new Map([...usageOf(bucket, object)].filter(([name]) => this.hard.has(name)))
  }

  counts(bucket: string, object: KubeObject): boolean {
    return this.buckets.has(bucket) && isInScope(this.#scopes, bucket, object)
  }

  /** Returns the usage of every limited resource by stored objects. */
  used(): Map<string, Quantity> {
    return new Map([...this.hard.keys()].map((name) => [name, this.#used.get(name) ?? ZERO]))
  }

  /** Returns the usage of a resource, including pending writes. */
  committed(name: string): Quantity {
    const sum = new Map([[name, this.#used.get(name) ?? ZERO]])
    for (const amounts of this.#reserved.values()) {
      const amount = amounts.get(name)
      if (amount !== undefined) add(sum, new Map([[name, amount]]))
    }
    return sum.get(name) ?? ZERO
  }

  reserve(key: object, amounts: Amounts): void {
    this.#reserved.set(key, amounts)
  }

  release(key: object): void {
    this.#reserved.delete(key)
  }

  /** Returns whether all objects of a bucket have the same usage, so that they need not be read. */
  countsAlike(bucket: string): boolean {
    return isCountedOnly(bucket) && this.#scopes.length === 0
  }

  /** Enters objects that count alike. */
  enterAll(bucket: string, count: number): void {
    for (const name of countNamesOf(bucket)) {
      if (this.hard.has(name)) add(this.#used, new Map([[name, quantityOf(count)]]))
    }
  }

  enter(bucket: string, object: KubeObject): void {
    add(this.#used, this.usageOf(bucket, object))
  }

  leave(bucket: string, object: KubeObject): void {
    add(this.#used, new Map([...this.usageOf(bucket, object)].map(([name, amount]) => [name, negateQuantity(amount)])))
  }
}

/** A write that was admitted and is not durable yet. */
interface Reservation {
  readonly quotas: readonly Quota[]
  readonly bucket: string
  /** The usage of the object, which identifies its write when it is stored. */
  readonly mark: string
}

/**
 * The quotas of all namespaces with their usage. A namespace is read on first use and followed from then on. Checking
 * and reserving is one step, so concurrent writes cannot exceed a quota together.
 */
export class QuotaLedger {
  readonly #store: Store
  readonly #namespaces = new Map<string, Map<string, Quota>>()
  /** By bucket, namespace and name of the object. */
  readonly #pending = new Map<string, Set<Reservation>>()

  constructor(store: Store, feed: ChangeFeed) {
    this.#store = store
    feed.onEvery((change) => {
      if (this.#namespaces.size > 0) this.#observe(change)
    })
  }

  /** Returns the quotas of a namespace, by name. */
  quotasIn(namespace: string): ReadonlyMap<string, Quota> {
    let quotas = this.#namespaces.get(namespace)
    if (quotas === undefined) {
      quotas = new Map()
      if (this.#store.count(QUOTAS, namespace) === 0) return quotas
      for (const entry of this.#store.page({ bucket: QUOTAS, namespace }).entries)
        quotas.set(entry.name, this.#read(entry))
      this.#namespaces.set(namespace, quotas)
    }
    return quotas
  }

  /** Reserves amounts until the object is stored, or until the returned function releases them. */
  reserve(bucket: string, object: KubeObject, amounts: ReadonlyMap<Quota, Amounts>): () => void {
    const reservation = { quotas: [...amounts.keys()], bucket, mark: markOf(bucket, object) }
    for (const [quota, reserved] of amounts) quota.reserve(reservation, reserved)
    const key = keyOf(bucket, object.metadata.namespace ?? '', object.metadata.name ?? '')
    const waiting = this.#pending.get(key) ?? new Set()
    this.#pending.set(key, waiting.add(reservation))
    return () => this.#settle(key, reservation)
  }

  #settle(key: string, reservation: Reservation): void {
    for (const quota of reservation.quotas) quota.release(reservation)
    const waiting = this.#pending.get(key)
    waiting?.delete(reservation)
    if (waiting?.size === 0) this.#pending.delete(key)
  }

  #read(entry: Entry): Quota {
    const quota = new Quota(entry.object())
    for (const bucket of quota.buckets) {
      if (quota.countsAlike(bucket)) {
        quota.enterAll(bucket, this.#store.count(bucket, entry.namespace))
        continue
      }
      for (const counted of this.#store.page({ bucket, namespace: entry.namespace }).entries) {
        quota.enter(bucket, counted.object())
      }
    }
    return quota
  }

  #observe({ type, entry, previous }: Change): void {
    const { bucket, namespace, name } = entry
    const quotas = this.#namespaces.get(namespace)
    if (quotas === undefined) return
    for (const quota of quotas.values()) {
      if (!quota.buckets.has(bucket)) continue
      if (previous !== undefined) quota.leave(bucket, previous.object())
      if (type !== 'DELETED') quota.enter(bucket, entry.object())
    }
    if (this.#pending.size > 0)
      this.#observePending(keyOf(bucket, namespace, name), type === 'DELETED' ? undefined : entry)
    if (bucket === QUOTAS) this.#observeQuota(quotas, type, entry, previous)
  }

  #observePending(key: string, entry: Entry | undefined): void {
    const waiting = this.#pending.get(key)
    if (waiting === undefined) return
    const mark = entry === undefined ? undefined : markOf(entry.bucket, entry.object())
    for (const reservation of waiting) {
      if (mark === undefined || reservation.mark === mark) this.#settle(key, reservation)
    }
  }

  /** The status is written for every change of usage; only a changed spec makes another quota. */
  #observeQuota(quotas: Map<string, Quota>, type: Change['type'], entry: Entry, previous: Entry | undefined): void {
    if (type === 'DELETED') quotas.delete(entry.name)
    else if (previous === undefined || specText(previous) !== specText(entry)) quotas.set(entry.name, this.#read(entry))
    if (quotas.size === 0) this.#namespaces.delete(entry.namespace)
  }
}

function specText(entry: Entry): string {
  return JSON.stringify(entry.object().spec)
}

function keyOf(bucket: string, namespace: string, name: string): string {
  return `${bucket}/${namespace}/${name}`
}

function markOf(bucket: string, object: KubeObject): string {
  const usage = [...usageOf(bucket, object)].map(([name, amount]) => `${name}=${formatQuantity(amount)}`)
  return `${object.metadata.uid} ${usage.join(' ')}`
}
