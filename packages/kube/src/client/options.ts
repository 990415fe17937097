/** For every request. */
export interface CallOptions {
  /** Gives up when aborted. */
  readonly signal?: AbortSignal
}

/** For requests that write. */
export interface WriteOptions extends CallOptions {
  /** Whom the changed fields belong to (`metadata.managedFields`). Default: what the client was made with. */
  readonly fieldManager?: string
  /** Do everything but store the result. */
  readonly dryRun?: boolean
  /** What to do about unknown and duplicate fields. Default: the server's, which warns. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** Write to a part of the object, such as `status`, `scale` or `approval`. */
  readonly subresource?: string
}

export interface PatchOptions extends WriteOptions {
  /** Default `merge`. `strategic` only works on built-in kinds. */
  readonly type?: 'merge' | 'json' | 'strategic'
}

export interface ApplyOptions extends WriteOptions {
  /** Take fields that other managers own, instead of failing with a conflict. Default false. */
  readonly force?: boolean
}

export interface GetOptions extends CallOptions {
  readonly resourceVersion?: string
}

/** Which objects of a kind. */
export interface Selection {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

export interface ListOptions extends Selection, CallOptions {
  /** The size of a page. Default: everything in one answer. */
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
}

export interface WatchOptions extends Selection, CallOptions {
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'NotOlderThan'
  readonly allowWatchBookmarks?: boolean
  /** Begin with an event for each object there is, then a marked bookmark (KEP-3157). */
  readonly sendInitialEvents?: boolean
  readonly timeoutSeconds?: number
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  /** Refuse when the object is another one, or a later state of it. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: boolean
}

export interface ObjectList<T> {
  readonly items: T[]
  /** The state of the store that the list shows: where a watch goes on. */
  readonly resourceVersion: string
  /** Asks for the next page; absent on the last one. */
  readonly continue?: string
  readonly remainingItemCount?: number
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: T
}
