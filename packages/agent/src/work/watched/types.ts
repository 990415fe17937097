import type { DynamicObject } from '@orrery/kube/discovery'

/** One object of the cluster, whether it is there or not. */
export interface WatchedRef {
  readonly group: string
  readonly version: string
  /** The resource as paths have it: `configmaps`. */
  readonly resource: string
  /** Empty outside namespaces. */
  readonly namespace: string
  readonly name: string
}

/** What became of one watched object. Objects are shared: never change one. */
export interface WatchedChange {
  readonly ref: WatchedRef
  /** Undefined when it was not there, or not known. */
  readonly before: DynamicObject | undefined
  /** Undefined when it is gone. */
  readonly after: DynamicObject | undefined
  /** Who wants the object. */
  readonly holders: ReadonlySet<string>
}

/**
 * The objects of the cluster that works are about, as they are now. Kept up to date by watches that start when they are
 * needed and stop when they are not; and by asking now and then where a watch is not to be had.
 */
export interface WatchedObjects {
  /** The object; undefined when it is not there, or not known. */
  get(ref: WatchedRef): DynamicObject | undefined
  /** Whether it is known if the object is there: `get` may be believed. */
  isKnown(ref: WatchedRef): boolean
  /** Why the object is not known, if there is a reason other than that it was not yet asked for. */
  failure(ref: WatchedRef): Error | undefined
  /** Makes these the objects that a holder, such as a work, wants, instead of the ones before. */
  want(holder: string, refs: readonly WatchedRef[]): void
  /** Tells of an object that was just read or written: where no watch knows it, nobody knows better until it is asked for. */
  report(ref: WatchedRef, object: DynamicObject): void
  /** Hears of every change of objects that somebody wants, and of those that become known. Returns the way to stop. */
  subscribe(onChange: (change: WatchedChange) => void): () => void
  /** Resolves when all of these, which somebody must want, are known, or known to be not to be had. */
  whenKnown(refs: readonly WatchedRef[], signal?: AbortSignal): Promise<void>
}

/** A text that is the same for the same object. */
export function watchedKey({ group, version, resource, namespace, name }: WatchedRef): string {
  return `${group}/${version}/${resource}/${namespace}/${name}`
}
