import { expired, type Status } from '@orrery/kube'
import type { ListOptions } from '../request/options.js'
import { parseResourceVersion } from '../request/options.js'
import { type Entry, RevisionCompacted } from '../store/types.js'
import type { WatchEncoding, WatchSink } from '../watch/types.js'
import type { VerbContext } from './context.js'
import { requireRevision } from './list.js'
import type { Registry } from './registry.js'
import { parseSelection, type Selection, type ServedFilter, selects } from './selection.js'

/** A watch without a timeout ends between one and two times this, so that clients spread out. */
const MIN_TIMEOUT_SECONDS = 1800

/** A watch that has been checked. */
export interface PreparedWatch {
  /** What the sink has to choose by once it has converted an object. The encoding carries the state before each change then. */
  readonly served: ServedFilter | undefined
  /** Starts the stream. */
  open(encoding: WatchEncoding, sink: WatchSink): void
}

/** Checks a watch request. Throws before anything is sent. */
export function prepareWatch(registry: Registry, context: VerbContext, options: ListOptions): PreparedWatch {
  const namespace = context.logic.resource.namespaced && context.namespace !== '' ? context.namespace : undefined
  const parsed = parseSelection(context.logic, namespace, options.labelSelector, options.fieldSelector)
  const selection = context.name === '' ? parsed : { ...parsed, name: context.name }
  const start = startOf(registry, options)
  const timeoutSeconds =
    options.timeoutSeconds !== undefined && options.timeoutSeconds > 0
      ? options.timeoutSeconds
      : MIN_TIMEOUT_SECONDS * (1 + Math.random())

  const open = (encoding: WatchEncoding, sink: WatchSink): void => {
    try {
      // The initial state and the revision to go on from are read in one synchronous step: nothing falls between.
      const since = start.from ?? registry.store.revision
      registry.hub.open({
        bucket: context.logic.resource.storage.bucket,
        namespace: selection.namespace,
        name: selection.name,
        filter: selection.filter,
        encoding,
        since,
        initial: start.initial ? currentEntries(registry, context, selection) : [],
        markInitialEnd: start.markEnd,
        bookmarks: options.allowWatchBookmarks,
        timeoutSeconds,
        sink,
      })
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

/** What the resourceVersion and sendInitialEvents of a watch mean (KEP-3157 and the API concepts' table). */
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

function currentEntries(registry: Registry, context: VerbContext, selection: Selection): readonly Entry[] {
  return registry.store.page({
    bucket: context.logic.resource.storage.bucket,
    namespace: selection.namespace,
    ...((selection.filter !== undefined || selection.name !== undefined) && {
      matches: (entry) => selects(selection, entry),
    }),
  }).entries
}

/** An ERROR event that carries a Status. */
export function errorFrame(status: Status): Buffer {
  return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`)
}
