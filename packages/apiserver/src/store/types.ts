import type { KubeObject } from '@orrery/kinds'
import type { Labels } from '@orrery/kinds/values'

/** One version of an object, as bytes that can be sent. */
export interface Entry {
  readonly bucket: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
  /** The revision that wrote this version: its `metadata.resourceVersion`. */
  readonly revision: number
  /** JSON of the storage version, including `resourceVersion`. Never modified in place. */
  readonly bytes: Buffer
  /**
   * Returns the parsed object, which all readers share: clone it before modifying it. It is parsed on first use and
   * held weakly.
   */
  object(): KubeObject
  /** Returns the labels. They are read on first use and kept, since every selector needs them. */
  labels(): Labels
  /** Whether it may have owner references. Searching the bytes is slow, so writers that know it say so. */
  readonly mayHaveOwners: boolean
}

/** One change in the revision log. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly revision: number
  /** The state after the change; for DELETED the last state, with the revision of the deletion as `resourceVersion`. */
  readonly entry: Entry
  /** The state before the change; undefined for ADDED. */
  readonly previous: Entry | undefined
}

export interface PageRequest {
  readonly bucket: string
  /** One namespace, or undefined for all. Cluster-scoped objects are in namespace ''. */
  readonly namespace: string | undefined
  /** The state at this revision; undefined for the newest. */
  readonly revision?: number
  /** Start after this object, in (namespace, name) order. */
  readonly after?: { readonly namespace: string; readonly name: string }
  /** Stop after this many matching entries. */
  readonly limit?: number
  readonly matches?: (entry: Entry) => boolean
}

export interface Page {
  readonly entries: readonly Entry[]
  /** The revision of the page. */
  readonly revision: number
  /** The number of entries that follow in range, without regard to `matches`. */
  readonly remaining: number
}

/** Encodes the object at its new revision: sets `resourceVersion` and serialises. Called synchronously, once. */
export type Encode = (revision: number) => Buffer

/** The namespace and the object whose changes are wanted; all without them. */
export interface ChangeScope {
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

/**
 * The durable state of one cluster: a log of revisions, and the newest version of every object. Readers see only
 * durable writes. Writers build on the head, which includes writes that are being flushed, and are acknowledged when
 * their write is on disk. Concurrent writes share one flush.
 */
export interface Store {
  /** The newest durable revision. */
  readonly revision: number
  /** History up to and including this revision is compacted. */
  readonly compactedRevision: number
  get(bucket: string, namespace: string, name: string): Entry | undefined
  head(bucket: string, namespace: string, name: string): Entry | undefined
  /** Throws `RevisionCompacted` if the requested revision is compacted. */
  page(request: PageRequest): Page
  count(bucket: string, namespace?: string): number
  /**
   * Creates (`expected` undefined) or replaces an object. Throws `HeadMoved` immediately if the head is not `expected`.
   */
  put(
    bucket: string,
    namespace: string,
    name: string,
    expected: Entry | undefined,
    encode: Encode,
    mayHaveOwners?: boolean,
  ): Promise<Entry>
  remove(bucket: string, namespace: string, name: string, expected: Entry, encode: Encode): Promise<Entry>
  /** Resolves when all writes so far are on disk or were refused. */
  flushed(): Promise<void>
  /**
   * Returns the changes of one bucket after a revision, oldest first. Throws `RevisionCompacted` if they are compacted.
   * They are read one by one, and only in the same turn of the event loop.
   */
  changesSince(bucket: string, revision: number, scope?: ChangeScope): Iterable<Change>
  /** Returns why writes fail, known from the last one or from a check of the disk; undefined if they do not. */
  problem(): string | undefined
  /** Calls the listener with every durable group of changes, in order. Returns a function that unsubscribes it. */
  subscribe(listener: (changes: readonly Change[]) => void): () => void
  /** Removes history up to a revision. Current objects stay. */
  compact(revision: number): Promise<void>
  /** Writes a consistent copy for `restore`, while serving. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}

/** Another writer changed the object first. */
export class HeadMoved extends Error {
  constructor() {
    super('the object has been modified; read it again and retry')
    this.name = 'HeadMoved'
  }
}

/** The requested history is compacted. */
export class RevisionCompacted extends Error {
  readonly requested: number
  readonly compacted: number
  constructor(requested: number, compacted: number) {
    super(`revision ${requested} is compacted: history starts after ${compacted}`)
    this.name = 'RevisionCompacted'
    this.requested = requested
    this.compacted = compacted
  }
}

/** The storage refused the write (full, read-only, failing, removed). Nothing changed. */
export class StorageRefused extends Error {
  constructor(cause: unknown) {
    super(`the storage refused the write: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'StorageRefused'
  }
}

/** The disk is full. */
export class NoSpace extends Error {
  constructor(directory: string, cause?: unknown) {
    super(`no space left on the device of ${directory}`, { cause })
    this.name = 'NoSpace'
  }
}

/** The store file was removed or replaced while it was open. */
export class StoreRemoved extends Error {
  constructor(file: string) {
    super(`${file} was removed or replaced while the server was running`)
    this.name = 'StoreRemoved'
  }
}
