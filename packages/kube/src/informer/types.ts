import type { ApiObject, Kind, ObjectRef } from '@orrery/kinds'
import type { Selection } from '../client/options.js'

/** What became of one object. Objects are shared by everybody in the process: never change one. */
export type Change<T> =
  | { readonly type: 'added'; readonly after: T; readonly before: undefined; readonly initial: boolean }
  | { readonly type: 'updated'; readonly after: T; readonly before: T; readonly initial: boolean }
  /** `before` is the last state known; a deletion noticed by listing again may have missed later ones. */
  | { readonly type: 'deleted'; readonly after: undefined; readonly before: T; readonly initial: false }

/** A local copy of the objects of a kind, kept up to date by a watch. */
export interface Informer<T extends ApiObject = ApiObject> {
  readonly kind: Kind<T, object>
  readonly selection: Selection
  /** Whether everything that was there at the start is here. */
  readonly synced: boolean
  whenSynced(signal?: AbortSignal): Promise<void>
  get(ref: ObjectRef): T | undefined
  /** How many objects. */
  readonly size: number
  /** All objects, or those of a namespace, in no order. */
  list(namespace?: string): T[]
  /** The objects whose index function gave this value. */
  byIndex(index: string, value: string): readonly T[]
  /** Adds an index, filled with what is here already. The same name twice must mean the same function. */
  addIndex(index: string, valuesOf: (object: T) => readonly string[]): void
  /**
   * Hears of every change, in order, beginning with what is here already. A handler that throws is logged and goes on
   * hearing. Returns the way to stop.
   */
  subscribe(onChange: (change: Change<T>) => void): () => void
}
