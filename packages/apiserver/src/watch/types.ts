import type { Change, Entry } from '../store/types.js'

/** Where a watch stream goes: an HTTP/1.1 response, an HTTP/2 stream, a WebSocket or an in-process reader. */
export interface WatchSink {
  /** Hands over one or more whole frames, which may be shared with other sinks. False means "full": no more until it drains. */
  write(chunk: Buffer): boolean
  /** Called once, at the start: the callback runs every time the sink can take more after it was full. */
  onDrain(callback: () => void): void
  /** Called once, at the start: the callback runs when the reader is gone or the stream has ended. */
  onClose(callback: () => void): void
  /** Ends the stream normally. */
  end(): void
  /** Cuts it off without waiting for the reader. */
  destroy(): void
}

/** Which changes a watcher wants. `key` is equal for equal selectors, so each is evaluated once an event. */
export interface WatchFilter {
  readonly key: string
  matches(entry: Entry): boolean
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'

/** How objects are written into events. `key` is equal for equal encodings, so each is encoded once an event. */
export interface WatchEncoding {
  readonly key: string
  /** Frames also hold the object before the change, as `previous`, for a sink that makes the real events of them. */
  readonly carriesPrevious?: boolean
  /** The JSON of `entry` in this form (whole object, Table, PartialObjectMetadata, another version). */
  object(entry: Entry): Buffer
  /** The JSON of an object that holds nothing but kind, resourceVersion and annotations. */
  bookmark(revision: number, annotations: Readonly<Record<string, string>> | undefined): Buffer
}

export interface WatchRequest {
  readonly bucket: string
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined
  /** Set when the watch is for one object (`fieldSelector=metadata.name=x`). */
  readonly name: string | undefined
  readonly filter: WatchFilter | undefined
  readonly encoding: WatchEncoding
  /** Send changes after this revision. */
  readonly since: number
  /** Send those of these first that pass the filter, as ADDED. */
  readonly initial: readonly Entry[]
  /** Who watches: users take turns when there is much to read. */
  readonly user: string
  /** Reads a large initial state in the place of `since` and `initial`, when it is the user's turn. */
  readonly begin?: () => { readonly since: number; readonly initial: readonly Entry[] }
  /** After the initial events send a bookmark annotated `k8s.io/initial-events-end` (KEP-3157). */
  readonly markInitialEnd: boolean
  readonly bookmarks: boolean
  readonly timeoutSeconds: number
  readonly sink: WatchSink
}

/** Fans durable changes out to watchers: O(watchers that care) an event, one encoding an event and form. */
export interface WatchHub {
  /** Throws `RevisionCompacted` before anything is sent when `since` is too old. */
  open(request: WatchRequest): void
  /** Ends the watches of a bucket, because what it holds is served in another way from now on. */
  endBucket(bucket: string): void
  readonly size: number
  /** Ends every watch. */
  close(): void
}

export type { Change }
