import { Informers, type KubeClient, type Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { Discovery, DynamicObject } from '@orrery/kube/discovery'
import { type Answer, type Entry, isEntryKnown, namespacedRef, objectOf } from './entry.js'
import { kindIfThere } from './kind.js'
import { KindWatches } from './kind-watches.js'
import { Poller } from './poller.js'
import { type WatchedChange, type WatchedObjects, type WatchedRef, watchedKey } from './types.js'

export interface WatchesOptions {
  readonly client: KubeClient
  readonly discovery: Discovery
  readonly clock: Clock
  readonly log: Logger
  /** The limit of watches. */
  readonly maxWatches: number
  /** How often objects without a watch are polled. */
  readonly pollMilliseconds: number
}

/** If a watch has not synced by then, its objects are polled. */
const TIMEOUT_MILLISECONDS = 2_000
/** How many objects are polled at the same time. */
const POLL_CONCURRENCY = 8

interface Waiter {
  readonly missing: Set<string>
  readonly resolve: () => void
}

/** Watches the objects that are needed, with as few watches as possible. */
export class Watches implements WatchedObjects {
  readonly #options: WatchesOptions
  readonly #informers: Informers
  readonly #entries = new Map<string, Entry>()
  readonly #wants = new Map<string, ReadonlySet<string>>()
  readonly #kinds = new Map<string, KindWatches | 'asked for'>()
  readonly #listeners = new Set<(change: WatchedChange) => void>()
  readonly #waiters = new Set<Waiter>()
  readonly #poller: Poller
  readonly #closing = new AbortController()

  constructor(options: WatchesOptions) {
    this.#options = options
    const { client, clock, log } = options
    this.#informers = new Informers(client, { clock, log })
    this.#poller = new Poller({
      clock,
      firstMilliseconds: TIMEOUT_MILLISECONDS,
      everyMilliseconds: options.pollMilliseconds,
      poll: () => this.#poll(),
    })
  }

  /** The number of open watches. */
  get size(): number {
    let size = 0
    for (const kind of this.#kinds.values()) if (kind instanceof KindWatches) size += kind.size
    return size
  }

  get(ref: WatchedRef): DynamicObject | undefined {
    const entry = this.#entries.get(watchedKey(ref))
    return entry && objectOf(entry)
  }

  isKnown(ref: WatchedRef): boolean {
    const entry = this.#entries.get(watchedKey(ref))
    return entry !== undefined && isEntryKnown(entry)
  }

  failure(ref: WatchedRef): Error | undefined {
    const entry = this.#entries.get(watchedKey(ref))
    if (entry === undefined || isEntryKnown(entry)) return undefined
    if (entry.asked?.failure !== undefined) return entry.asked.failure
    const kind = this.#kinds.get(kindKey(ref))
    return kind instanceof KindWatches ? kind.failure(entry) : undefined
  }

  want(holder: string, refs: readonly WatchedRef[]): void {
    const before = this.#wants.get(holder)
    const keys = new Set<string>()
    const added: Entry[] = []
    for (const ref of refs) {
      const key = watchedKey(ref)
      if (keys.has(key)) continue
      keys.add(key)
      const known = this.#entries.get(key)
      if (known !== undefined) {
        known.holders.add(holder)
        continue
      }
      const entry: Entry = { ref, key, holders: new Set([holder]), scope: undefined, asked: undefined }
      this.#entries.set(key, entry)
      added.push(entry)
    }
    if (keys.size === 0) this.#wants.delete(holder)
    else this.#wants.set(holder, keys)
    this.#watch(added)
    if (before !== undefined)
      this.#letGo(
        holder,
        [...before].filter((key) => !keys.has(key)),
      )
  }

  report(ref: WatchedRef, object: DynamicObject): void {
    const entry = this.#entries.get(watchedKey(ref))
    if (entry !== undefined && entry.scope === undefined) this.#answered(entry, { object, failure: undefined })
  }

  subscribe(onChange: (change: WatchedChange) => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  whenKnown(refs: readonly WatchedRef[], signal?: AbortSignal): Promise<void> {
    const missing = new Set(refs.filter((ref) => !this.#isSettled(ref)).map(watchedKey))
    if (missing.size === 0) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiters.delete(waiter)
        signal?.removeEventListener('abort', abort)
      }
      const waiter: Waiter = {
        missing,
        resolve: () => {
          end()
          resolve()
        },
      }
      const abort = () => {
        end()
        reject(signal?.reason)
      }
      if (signal?.aborted === true) return abort()
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiters.add(waiter)
    })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#poller.close()
    await this.#informers.close()
  }

  #isSettled(ref: WatchedRef): boolean {
    const entry = this.#entries.get(watchedKey(ref))
    return entry === undefined || isEntryKnown(entry) || entry.asked !== undefined
  }

  #watch(entries: readonly Entry[]): void {
    if (entries.length === 0) return
    for (const [key, group] of byKind(entries)) {
      const kind = this.#kinds.get(key)
      if (kind instanceof KindWatches) this.#addTo(kind, group)
      else if (kind === undefined) void this.#findKind(key, group[0]?.ref as WatchedRef)
    }
    if (entries.some((entry) => !isEntryKnown(entry))) this.#poller.wake()
  }

  /** Objects that no watch will cover are polled at once. */
  #addTo(kind: KindWatches, entries: readonly Entry[]): void {
    kind.add(entries)
    for (const entry of entries) if (!kind.hasHope(entry)) void this.#ask(entry)
  }

  /** Discovery runs again whenever objects of a kind that the cluster does not serve are polled. */
  async #findKind(key: string, ref: WatchedRef): Promise<void> {
    this.#kinds.set(key, 'asked for')
    const { signal } = this.#closing
    try {
      const kind = await kindIfThere(this.#options.discovery, ref, signal)
      if (signal.aborted) return
      if (kind === undefined) {
        this.#kinds.delete(key)
        this.#answerAll(key, NOT_THERE)
        return
      }
      const watches = new KindWatches({
        informers: this.#informers,
        kind,
        mayOpen: () => this.size < this.#options.maxWatches,
        onChange: (entry, before, after) => this.#changed(entry, before, after),
      })
      this.#kinds.set(key, watches)
      const entries = [...this.#entries.values()].filter((entry) => kindKey(entry.ref) === key)
      this.#addTo(watches, entries)
      this.#dropIfEmpty(key, watches)
    } catch (error) {
      this.#kinds.delete(key)
      if (signal.aborted) return
      this.#answerAll(key, failedAnswer(error))
    }
  }

  #answerAll(key: string, answer: Answer): void {
    for (const entry of this.#entries.values()) if (kindKey(entry.ref) === key) this.#answered(entry, answer)
  }

  #letGo(holder: string, keys: readonly string[]): void {
    const dropped: Entry[] = []
    for (const key of keys) {
      const entry = this.#entries.get(key)
      if (entry === undefined) continue
      entry.holders.delete(holder)
      if (entry.holders.size > 0) continue
      this.#entries.delete(key)
      this.#settle(entry)
      dropped.push(entry)
    }
    for (const [key, group] of byKind(dropped)) {
      const kind = this.#kinds.get(key)
      if (!(kind instanceof KindWatches)) continue
      kind.remove(group)
      this.#dropIfEmpty(key, kind)
    }
  }

  #dropIfEmpty(key: string, kind: KindWatches): void {
    if (kind.isEmpty) this.#kinds.delete(key)
  }

  #changed(entry: Entry, before: DynamicObject | undefined, after: DynamicObject | undefined): void {
    this.#settle(entry)
    const change: WatchedChange = { ref: entry.ref, before, after, holders: entry.holders }
    for (const listener of this.#listeners) listener(change)
  }

  #settle({ key }: Entry): void {
    for (const waiter of this.#waiters) {
      if (waiter.missing.delete(key) && waiter.missing.size === 0) waiter.resolve()
    }
  }

  async #poll(): Promise<boolean> {
    const unwatched = [...this.#entries.values()].filter(({ scope }) => scope === undefined)
    const queue = unwatched.values()
    const work = async () => {
      for (const entry of queue) await this.#ask(entry)
    }
    await Promise.all(Array.from({ length: POLL_CONCURRENCY }, work))
    return unwatched.length > 0
  }

  async #ask(entry: Entry): Promise<void> {
    const { discovery, client } = this.#options
    const { signal } = this.#closing
    let answer = NOT_THERE
    try {
      const kind = await kindIfThere(discovery, entry.ref, signal)
      if (kind !== undefined) {
        if (!this.#kinds.has(kindKey(entry.ref))) await this.#findKind(kindKey(entry.ref), entry.ref)
        answer = { object: await client.find(kind, namespacedRef(entry.ref), { signal }), failure: undefined }
      }
    } catch (error) {
      if (signal.aborted) return
      answer = failedAnswer(error)
    }
    // Meanwhile a watch may have synced, or the object may no longer be needed.
    if (entry.scope === undefined && this.#entries.get(entry.key) === entry) this.#answered(entry, answer)
  }

  #answered(entry: Entry, answer: Answer): void {
    const { asked } = entry
    entry.asked = answer
    const isNews =
      asked === undefined ||
      asked.failure?.message !== answer.failure?.message ||
      asked.object?.metadata.resourceVersion !== answer.object?.metadata.resourceVersion
    if (isNews) this.#changed(entry, asked?.object, answer.object)
  }
}

const NOT_THERE: Answer = { object: undefined, failure: undefined }

function failedAnswer(error: unknown): Answer {
  return { object: undefined, failure: error instanceof Error ? error : new Error(String(error)) }
}

function kindKey({ group, version, resource }: WatchedRef): string {
  return `${group}/${version}/${resource}`
}

function byKind(entries: readonly Entry[]): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const key = kindKey(entry.ref)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return groups
}
