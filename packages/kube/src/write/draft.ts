import type { Mutable } from '@orrery/kinds'
import { cloneJson } from '@orrery/kinds/values'

/** A copy of a read-only object, such as one from an informer, for changes: pass it to `update`, or compare it. */
export function draftOf<T>(object: T): Mutable<T> {
  return cloneJson(object) as Mutable<T>
}
