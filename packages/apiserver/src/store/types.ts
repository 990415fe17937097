import type { KubeObject } from '@orrery/kinds'
import type { Labels } from '@orrery/kinds/values'

/** One version of one object, as bytes that can be sent. */
export interface Entry {
  readonly bucket: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
  /** The revision that wrote this version: its `metadata.resourceVersion`. */
  readonly revision: number
  /** JSON of the storage version, with `resourceVersion` inside. Never changed in place. */
  readonly bytes: Buffer
  /** The parsed form, shared by all readers: clone before changing it. Parsed on first use and held weakly. */
  object(): KubeObject
  /** Its labels, which every selector asks for: read on first use, and kept. */
  labels(): Labels
}

/** One step of the revision log. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly revision: number
  /** The state after the change; for DELETED the last state, its `resourceVersion` being the revision of the deletion. */
  readonly entry: Entry
  /** The state before the change; undefined for ADDED. */
  readonly previous: Entry | undefined
}

export interface PageRequest {
  readonly bucket: string
  /** One namespace, or undefined for all. Cluster-scoped objects are in namespace ''. */
  readonly namespace: string | undefined
  /** The state as of this revision; undefined for the newest. */
  readonly revision?: number
  /** Start after this object, in (namespace, name) order. */
  readonly after?: { readonly namespace: string; readonly name: string }
  /** Stop after this many entries that match. */
  readonly limit?: number
  readonly matches?: (entry: Entry) => boolean
}

export interface Page {
  readonly entries: readonly Entry[]
  /** The revision the page shows. */
  readonly revision: number
  /** How many entries follow in range, not looking at `matches`. */
  readonly remaining: number
}

/** Writes the object at its new revision: sets `resourceVersion` and serialises. Called synchronously, once. */
export type Encode = (revision: number) => Buffer

/**
 * The durable state of one cluster: a log of revisions, and the newest version of every object.
 * Readers see only what is on disk. Writers build on the head, which includes writes still being flushed, and
 * are answered when their write is on disk; concurrent writes share one flush.
 */
export interface Store {
  /** The newest durable revision. */
  readonly revision: number
  /** History up to and including this revision is gone. */
  readonly compactedRevision: number
  get(bucket: string, namespace: string, name: string): Entry | undefined
  head(bucket: string, namespace: string, name: string): Entry | undefined
  /** Throws `RevisionCompacted` when the revision asked for is gone. */
  page(request: PageRequest): Page
  count(bucket: string, namespace?: string): number
  /** Creates (`expected` undefined) or replaces. Throws `HeadMoved` at once when the head is not `expected`. */
  put(bucket: string, namespace: string, name: string, expected: Entry | undefined, encode: Encode): Promise<Entry>
  remove(bucket: string, namespace: string, name: string, expected: Entry, encode: Encode): Promise<Entry>
  /** Resolves when every write made so far is on disk (or was refused). */
  flushed(): Promise<void>
  /** Changes of one bucket after a revision, oldest first. Throws `RevisionCompacted` when they are gone. */
  changesSince(bucket: string, revision: number): readonly Change[]
  /** Why writes fail, by the last one or by a look at the disk; undefined when they do not. */
  problem(): string | undefined
  /** Called with every durable group of changes, in order. Returns the way to stop. */
  subscribe(listener: (changes: readonly Change[]) => void): () => void
  /** Drops history up to a revision. Live objects stay. */
  compact(revision: number): Promise<void>
  /** Writes a consistent copy that `restore` can start from, while serving. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}

/** Somebody else wrote the object first. */
export class HeadMoved extends Error {
  constructor() {
    super('the object has been modified; read it again and retry')
    this.name = 'HeadMoved'
  }
}

/** The history asked for has been compacted away. */
export class RevisionCompacted extends Error {
  readonly requested: number
  readonly compacted: number
  constructor(requested: number, compacted: number) {
    super(`revision ${requested} is gone: history starts after ${compacted}`)
    this.name = 'RevisionCompacted'
    this.requested = requested
    this.compacted = compacted
  }
}

/** The storage refused the write (full, read-only, failing, gone). Nothing was changed. */
export class StorageRefused extends Error {
  constructor(cause: unknown) {
    super(`the storage refused the write: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'StorageRefused'
  }
}

/** There is no room on the disk. */
export class NoSpace extends Error {
  constructor(directory: string, cause?: unknown) {
    super(`no space left on the device of ${directory}`, { cause })
    this.name = 'NoSpace'
  }
}

/** Somebody removed the file of the store, or put another in its place, while it was open. */
export class StoreRemoved extends Error {
  constructor(file: string) {
    super(`${file} was removed or replaced while the server was running`)
    this.name = 'StoreRemoved'
  }
}
