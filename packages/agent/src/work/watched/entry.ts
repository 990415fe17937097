import type { DynamicObject } from '@orrery/kube/discovery'
import type { Scope } from './scope.js'
import type { WatchedRef } from './types.js'

/** One object that somebody wants, and how it is known. */
export interface Entry {
  readonly ref: WatchedRef
  readonly key: string
  readonly holders: Set<string>
  /** The watch that knows it, once one does. */
  scope: Scope | undefined
  /** What was found when it was asked for, while no watch knows it. */
  asked: Answer | undefined
}

/** What the cluster said about an object when it was asked. */
export type Answer =
  | { readonly object: DynamicObject | undefined; readonly failure: undefined }
  | { readonly object: undefined; readonly failure: Error }

/** The object as it is known. */
export function objectOf({ ref, scope, asked }: Entry): DynamicObject | undefined {
  return scope === undefined ? asked?.object : scope.get(namespacedRef(ref))
}

/** Whether it is known if the object is there. */
export function isEntryKnown({ scope, asked }: Entry): boolean {
  return scope !== undefined || (asked !== undefined && asked.failure === undefined)
}

/** A reference as requests and informers take it. */
export function namespacedRef({ namespace, name }: WatchedRef): { name: string; namespace?: string } {
  return namespace === '' ? { name } : { namespace, name }
}
