import { expired, type Status } from '@orrery/kinds/values'
import { type ListOptions, parseResourceVersion } from '../request/options.js'
import { type Entry, RevisionCompacted, type Store } from '../store/types.js'
import type { WatchEncoding, WatchSink } from '../watch/types.js'
import type { VerbContext } from './context.js'
import { requireRevision } from './list.js'
import type { Registry } from './registry.js'
import { parseSelection, type Selection, type ServedFilter } from './selection.js'

/** A watch without a timeout ends after one to two times this, so that clients spread out. */
const MIN_TIMEOUT_SECONDS = 1800

/** An initial state with more objects is read when it is the user's turn. */
const LARGE_OBJECTS = 200

/** A validated watch. */
export interface PreparedWatch {
  /** The filter for the sink after it has converted an object. The encoding then includes the previous state. */
  readonly served: ServedFilter | undefined
  /** Starts the stream. A large initial state is read when it is the user's turn. */
  open(encoding: WatchEncoding, sink: WatchSink): void
}

/** Validates a watch request. Throws before anything is sent. */
export function prepareWatch(registry: Registry, context: VerbContext, options: ListOptions): PreparedWatch {
  const namespace = context.logic.resource.namespaced && context.namespace !== '' ? context.namespace : undefined
  const parsed = parseSelection(context.logic, namespace, options.labelSelector, options.fieldSelector)
  const selection = context.name === '' ? parsed : { ...parsed, name: context.name }
  const start = startOf(registry, options)
  const timeoutSeconds =
    options.timeoutSeconds !== undefined && options.timeoutSeconds > 0
      ? options.timeoutSeconds
      : MIN_TIMEOUT_SECONDS * (1 + Math.random())

  const { bucket } = context.logic.resource.storage
  // The initial state and its revision are read in one synchronous step, so that no change is missed.
  const begin = () => ({ since: registry.store.revision, initial: currentEntries(registry, context, selection) })
  const isLarge = start.initial && !isLookup(context, selection) && registry.store.count(bucket) > LARGE_OBJECTS

  const open = (encoding: WatchEncoding, sink: WatchSink): void => {
    const request = {
      bucket,
      namespace: selection.namespace,
      name: selection.name,
      filter: selection.filter,
      encoding,
      markInitialEnd: start.markEnd,
      bookmarks: options.allowWatchBookmarks,
      timeoutSeconds,
      user: context.identity.username,
      sink,
    }
    try {
      const reads = start.initial && !isLarge
      const now = reads ? begin() : { since: start.from ?? registry.store.revision, initial: [] }
      registry.hub.open({ ...request, ...now, ...(isLarge && { begin }) })
    } catch (error) {
      if (!(error instanceof RevisionCompacted)) throw error
      const status = expired(`too old resource version: ${error.requested} (${error.compacted})`).status
      sink.write(errorFrame(status))
      sink.end()
    }
  }
  return { served: selection.served, open }
}

interface WatchStart {
  /** Changes after this revision; undefined for "from now". */
  readonly from: number | undefined
  readonly initial: boolean
  readonly markEnd: boolean
}

/** Interprets resourceVersion and sendInitialEvents of a watch (KEP-3157 and the table in the API concepts). */
function startOf(registry: Registry, options: ListOptions): WatchStart {
  if (options.sendInitialEvents === true) {
    requireRevision(registry, options.resourceVersion)
    return { from: undefined, initial: true, markEnd: options.allowWatchBookmarks }
  }
  const asked = parseResourceVersion(options.resourceVersion)
  if (asked === undefined || asked === 0) {
    return { from: undefined, initial: options.sendInitialEvents === undefined, markEnd: false }
  }
  return { from: asked, initial: false, markEnd: false }
}

/** Returns whether the selection names a single object. */
function isLookup({ logic }: VerbContext, { namespace, name }: Selection): boolean {
  return name !== undefined && (namespace !== undefined || !logic.resource.namespaced)
}

/** Returns all entries in range; the watcher applies the filter. */
function currentEntries({ store }: Registry, context: VerbContext, selection: Selection): readonly Entry[] {
  const { bucket } = context.logic.resource.storage
  if (!isLookup(context, selection)) return snapshot(store, bucket, selection.namespace)
  const entry = store.get(bucket, selection.namespace ?? '', selection.name ?? '')
  return entry === undefined ? [] : [entry]
}

interface Snapshot {
  readonly revision: number
  readonly bucket: string
  readonly namespace: string | undefined
  readonly entries: readonly Entry[]
}

const snapshots = new WeakMap<Store, Snapshot>()

/** Many watches often start at once: they share the entries until the next write. */
function snapshot(store: Store, bucket: string, namespace: string | undefined): readonly Entry[] {
  const { revision } = store
  const last = snapshots.get(store)
  if (last?.revision === revision && last.bucket === bucket && last.namespace === namespace) return last.entries
  const { entries } = store.page({ bucket, namespace })
  snapshots.set(store, { revision, bucket, namespace, entries })
  return entries
}

/** Encodes an ERROR event with a Status. */
export function errorFrame(status: Status): Buffer {
  return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`)
}
