import type { Entry } from '../store/types.js'
import type { WatchEncoding, WatchFilter, WatchRequest } from './types.js'
import type { ChangeView } from './view.js'
import type { Watcher } from './watcher.js'

/** Live watchers with equal requests: they all get the same frames. */
export class Cohort {
  readonly members = new Set<Watcher>()
  readonly filter: WatchFilter | undefined
  readonly encoding: WatchEncoding
  /** The frames of one commit, before they are sent. */
  #frames: Buffer[] = []
  #revisions: number[] = []
  #failure: { readonly error: unknown } | undefined

  constructor(filter: WatchFilter | undefined, encoding: WatchEncoding) {
    this.filter = filter
    this.encoding = encoding
  }

  /** Adds a change. If an encoding or a filter fails, only these watchers end. */
  take(view: ChangeView): void {
    if (this.#failure !== undefined) return
    try {
      const frame = view.frame(this.filter, this.encoding)
      if (frame === undefined) return
      this.#frames.push(frame)
      this.#revisions.push(view.change.revision)
    } catch (error) {
      this.#failure = { error }
    }
  }

  /** Sends the added changes as one chunk. */
  handOut(): void {
    const frames = this.#frames
    const revisions = this.#revisions
    const failure = this.#failure
    this.#frames = []
    this.#revisions = []
    this.#failure = undefined
    if (frames.length > 0) this.#deliver(frames, revisions)
    if (failure !== undefined) for (const watcher of this.members) watcher.fail(failure.error)
  }

  #deliver(frames: Buffer[], revisions: number[]): void {
    const first = revisions[0] as number
    const chunk = frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames)
    for (const watcher of this.members) {
      if (watcher.joinedAt < first) {
        watcher.deliver(chunk, frames.length, first)
        continue
      }
      // The watcher joined while these changes were being sent and has already seen some of them.
      const fresh = frames.filter((_, index) => (revisions[index] as number) > watcher.joinedAt)
      if (fresh.length > 0) watcher.deliver(Buffer.concat(fresh), fresh.length, watcher.joinedAt + 1)
    }
  }
}

type Cohorts = Map<string, Cohort>
/** By name of the object; undefined for watchers of all names. */
type Names = Map<string | undefined, Cohorts>
/** By namespace; undefined for watchers of all namespaces. */
type Namespaces = Map<string | undefined, Names>

/** Finds the cohorts that may match an object without visiting the others. */
export class CohortIndex {
  readonly #buckets = new Map<string, Namespaces>()

  add(watcher: Watcher): void {
    const { bucket, namespace, name, filter, encoding } = watcher.request
    const namespaces = entryOf<string, Namespaces>(this.#buckets, bucket, () => new Map())
    const names = entryOf<string | undefined, Names>(namespaces, namespace, () => new Map())
    const cohorts = entryOf<string | undefined, Cohorts>(names, name, () => new Map())
    const cohort = entryOf(cohorts, cohortKey(watcher.request), () => new Cohort(filter, encoding))
    cohort.members.add(watcher)
  }

  remove(watcher: Watcher): void {
    const { bucket, namespace, name } = watcher.request
    const key = cohortKey(watcher.request)
    const namespaces = this.#buckets.get(bucket)
    const names = namespaces?.get(namespace)
    const cohorts = names?.get(name)
    const cohort = cohorts?.get(key)
    if (cohort?.members.delete(watcher) !== true || cohort.members.size > 0) return
    cohorts?.delete(key)
    if (cohorts?.size === 0) names?.delete(name)
    if (names?.size === 0) namespaces?.delete(namespace)
    if (namespaces?.size === 0) this.#buckets.delete(bucket)
  }

  /** Calls `visit` with every cohort that may match an object. */
  visit(entry: Entry, visit: (cohort: Cohort) => void): void {
    const namespaces = this.#buckets.get(entry.bucket)
    if (namespaces === undefined) return
    visitNames(namespaces.get(undefined), entry.name, visit)
    visitNames(namespaces.get(entry.namespace), entry.name, visit)
  }
}

function visitNames(names: Names | undefined, name: string, visit: (cohort: Cohort) => void): void {
  if (names === undefined) return
  const any = names.get(undefined)
  if (any !== undefined) for (const cohort of any.values()) visit(cohort)
  const one = names.get(name)
  if (one !== undefined) for (const cohort of one.values()) visit(cohort)
}

/** The length prefix keeps different keys distinct. */
function cohortKey({ filter, encoding }: WatchRequest): string {
  return `${encoding.key.length} ${encoding.key}${filter === undefined ? '' : ` ${filter.key}`}`
}

function entryOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}
