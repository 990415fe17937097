import type { ApiObject, Kind, ObjectRef } from '@orrery/kinds'
import type { Selection } from '../client/options.js'

/** A change of one object. Objects are shared in the process: do not change them. */
export type Change<T> =
  | { readonly type: 'added'; readonly after: T; readonly before: undefined; readonly initial: boolean }
  | { readonly type: 'updated'; readonly after: T; readonly before: T; readonly initial: boolean }
  /** `before` is the last known state; a deletion detected by a list may have missed later ones. */
  | { readonly type: 'deleted'; readonly after: undefined; readonly before: T; readonly initial: false }

/** A local cache of the objects of a kind, kept up to date by a watch. */
export interface Informer<T extends ApiObject = ApiObject> {
  readonly kind: Kind<T, object>
  readonly selection: Selection
  /** Whether the first list is complete. */
  readonly synced: boolean
  whenSynced(signal?: AbortSignal): Promise<void>
  get(ref: ObjectRef): T | undefined
  /** The number of objects. */
  readonly size: number
  /** All objects, or those of a namespace, in no particular order. */
  list(namespace?: string): T[]
  /** The objects whose index function returned this value. */
  byIndex(index: string, value: string): readonly T[]
  /** Adds an index over the existing objects. The same name must always have the same function. */
  addIndex(index: string, valuesOf: (object: T) => readonly string[]): void
  /**
   * Calls back for every change, in order, starting with the existing objects. A subscriber that throws is logged and
   * still receives changes. Returns a function that unsubscribes.
   */
  subscribe(onChange: (change: Change<T>) => void): () => void
}
