import type { Change, Entry } from '../store/types.js'

/** The destination of a watch stream: an HTTP/1.1 response, an HTTP/2 stream, a WebSocket or an in-process reader. */
export interface WatchSink {
  /**
   * Writes one or more whole frames, which other sinks may share. Returns false if the sink is full; then wait for
   * drain.
   */
  write(chunk: Buffer): boolean
  /** Called once at the start: the callback runs each time the sink drains after it was full. */
  onDrain(callback: () => void): void
  /** Called once at the start: the callback runs when the reader disconnects or the stream ends. */
  onClose(callback: () => void): void
  /** Ends the stream normally. */
  end(): void
  /** Closes the stream without waiting for the reader. */
  destroy(): void
}

/** Selects the changes of a watcher. Equal selectors have equal keys, so each is evaluated once for each event. */
export interface WatchFilter {
  readonly key: string
  matches(entry: Entry): boolean
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'

/** Encodes objects in events. Equal encodings have equal keys, so each runs once for each event. */
export interface WatchEncoding {
  readonly key: string
  /**
   * Whether frames also contain the previous object as `previous`, for a sink that builds the real events from them.
   */
  readonly carriesPrevious?: boolean
  /** Returns the JSON of `entry` in this form (whole object, Table, PartialObjectMetadata, another version). */
  object(entry: Entry): Buffer
  /** Returns the JSON of an object with only kind, resourceVersion and annotations. */
  bookmark(revision: number, annotations: Readonly<Record<string, string>> | undefined): Buffer
}

export interface WatchRequest {
  readonly bucket: string
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined
  /** Set if the watch is for one object (`fieldSelector=metadata.name=x`). */
  readonly name: string | undefined
  readonly filter: WatchFilter | undefined
  readonly encoding: WatchEncoding
  /** Send changes after this revision. */
  readonly since: number
  /** Send these first as ADDED, if they pass the filter. */
  readonly initial: readonly Entry[]
  /** The user who watches: users take turns when there is much to read. */
  readonly user: string
  /** Reads a large initial state instead of `since` and `initial`, when it is the user's turn. */
  readonly begin?: () => { readonly since: number; readonly initial: readonly Entry[] }
  /** Whether to send a bookmark with the annotation `k8s.io/initial-events-end` after the initial events (KEP-3157). */
  readonly markInitialEnd: boolean
  readonly bookmarks: boolean
  readonly timeoutSeconds: number
  readonly sink: WatchSink
}

/**
 * Distributes durable changes to watchers (upstream: the cacher). An event costs O(interested watchers), and is encoded
 * once for each form.
 */
export interface WatchHub {
  /** Throws `RevisionCompacted` before anything is sent if `since` is too old. */
  open(request: WatchRequest): void
  /** Ends the watches of a bucket, because its objects will be served differently. */
  endBucket(bucket: string): void
  readonly size: number
  /** Ends every watch. */
  close(): void
}

export type { Change }
