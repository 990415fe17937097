import type { DynamicObject } from '@orrery/kube/discovery'

/** One object of the cluster, whether it exists or not. */
export interface WatchedRef {
  readonly group: string
  readonly version: string
  /** The plural name of the resource: `configmaps`. */
  readonly resource: string
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  readonly name: string
}

/** A change of one watched object. Objects are shared: do not change them. */
export interface WatchedChange {
  readonly ref: WatchedRef
  /** Undefined if it did not exist or was not known. */
  readonly before: DynamicObject | undefined
  /** Undefined if it was deleted. */
  readonly after: DynamicObject | undefined
  /** Those who need the object. */
  readonly holders: ReadonlySet<string>
}

/**
 * A cache of the objects of works. Watches start when they are needed and stop when they are not; objects without a
 * watch are polled.
 */
export interface WatchedObjects {
  /** The object; undefined if it does not exist or is not known. */
  get(ref: WatchedRef): DynamicObject | undefined
  /** Whether the state of the object is known, so that `get` is reliable. */
  isKnown(ref: WatchedRef): boolean
  /** Why the object is not known, if there is an error. */
  failure(ref: WatchedRef): Error | undefined
  /** Sets the objects that a holder, such as a work, needs. Replaces the earlier ones. */
  want(holder: string, refs: readonly WatchedRef[]): void
  /** Stores an object that was just read or written, if no watch covers it. */
  report(ref: WatchedRef, object: DynamicObject): void
  /** Calls back for every change of these objects, and when one becomes known. Returns a function that unsubscribes. */
  subscribe(onChange: (change: WatchedChange) => void): () => void
  /** Resolves when the state of all these objects is known, or known to be unavailable. A holder must need them. */
  whenKnown(refs: readonly WatchedRef[], signal?: AbortSignal): Promise<void>
}

/** A key for an object. */
export function watchedKey({ group, version, resource, namespace, name }: WatchedRef): string {
  return `${group}/${version}/${resource}/${namespace}/${name}`
}
