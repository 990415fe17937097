/** Options of every request. */
export interface CallOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal
}

/** Options of write requests. */
export interface WriteOptions extends CallOptions {
  /** The field manager (`metadata.managedFields`). Default: the client's. */
  readonly fieldManager?: string
  /** Run as a dry run: do everything but store the result. */
  readonly dryRun?: boolean
  /** How to handle unknown and duplicate fields. Default: the server's, which warns. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** Write to a subresource, such as `status`, `scale` or `approval`. */
  readonly subresource?: string
}

export interface PatchOptions extends WriteOptions {
  /** Default `merge`. `strategic` only works on built-in kinds. */
  readonly type?: 'merge' | 'json' | 'strategic'
}

export interface ApplyOptions extends WriteOptions {
  /** Take over fields that other managers own, instead of failing with a conflict. Default false. */
  readonly force?: boolean
}

export interface GetOptions extends CallOptions {
  readonly resourceVersion?: string
}

/** Selects objects of a kind. */
export interface Selection {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

export interface ListOptions extends Selection, CallOptions {
  /** The page size. Default: everything in one response. */
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
}

export interface WatchOptions extends Selection, CallOptions {
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'NotOlderThan'
  readonly allowWatchBookmarks?: boolean
  /** Start with an event for each existing object, then a marked bookmark (KEP-3157). */
  readonly sendInitialEvents?: boolean
  readonly timeoutSeconds?: number
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  /** Fail if the object has another uid or resourceVersion. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: boolean
}

export interface ObjectList<T> {
  readonly items: T[]
  /** The resource version of the list: start a watch from it. */
  readonly resourceVersion: string
  /** The token for the next page; absent on the last one. */
  readonly continue?: string
  readonly remainingItemCount?: number
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: T
}
