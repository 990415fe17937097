import type { DynamicObject } from '@orrery/kube/discovery'
import type { Scope } from './scope.js'
import type { WatchedRef } from './types.js'

/** An object that is needed, and its source. */
export interface Entry {
  readonly ref: WatchedRef
  readonly key: string
  readonly holders: Set<string>
  /** The watch that covers it, once one has synced. */
  scope: Scope | undefined
  /** The result of the last poll, while no watch covers it. */
  asked: Answer | undefined
}

/** The result of polling an object. */
export type Answer =
  | { readonly object: DynamicObject | undefined; readonly failure: undefined }
  | { readonly object: undefined; readonly failure: Error }

/** The object in the cache. */
export function objectOf({ ref, scope, asked }: Entry): DynamicObject | undefined {
  return scope === undefined ? asked?.object : scope.get(namespacedRef(ref))
}

/** Whether the state of the object is known. */
export function isEntryKnown({ scope, asked }: Entry): boolean {
  return scope !== undefined || (asked !== undefined && asked.failure === undefined)
}

/** A reference as requests and informers take it. */
export function namespacedRef({ namespace, name }: WatchedRef): { name: string; namespace?: string } {
  return namespace === '' ? { name } : { namespace, name }
}
