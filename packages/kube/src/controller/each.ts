import type { ApiObject, ObjectRef } from '@orrery/kinds'
import type { Change, Informer } from '../informer/types.js'
import type { Predicate } from './predicates.js'
import type { Urgency } from './ready-list.js'
import type { Enqueue, Wake } from './types.js'

/** The objects to reconcile because of an object. */
export type Mapping<T> = (object: T) => ObjectRef | Iterable<ObjectRef> | undefined

export interface EachOptions<T> {
  /** Which changes count. Default all. A resync ignores it, since it is for missed changes. */
  readonly when?: Predicate<T>
}

/**
 * Wakes a controller for each change of an informer's objects: for the object itself, or for those it maps to. The
 * mapping is called with the old and the new object, so that both the old and the new owner are reconciled.
 */
export function each<T extends ApiObject>(
  informer: Informer<T>,
  map?: Mapping<NoInfer<T>>,
  options: EachOptions<NoInfer<T>> = {},
): Wake {
  const { when } = options
  const wakeFor = (object: T, urgency: Urgency, enqueue: Enqueue) => {
    if (map === undefined) {
      enqueue(object.metadata, urgency)
      return
    }
    const mapped = map(object)
    if (mapped === undefined) return
    if (!(Symbol.iterator in mapped)) enqueue(mapped, urgency)
    else for (const ref of mapped) enqueue(ref, urgency)
  }
  return {
    informer,
    target: map === undefined ? informer.kind : undefined,
    start: (enqueue) =>
      informer.subscribe((change) => {
        if (when !== undefined && !when(change)) return
        const urgency = urgencyOf(change)
        if (change.before !== undefined && (map !== undefined || change.after === undefined)) {
          wakeFor(change.before, urgency, enqueue)
        }
        if (change.after !== undefined) wakeFor(change.after, urgency, enqueue)
      }),
    resync(enqueue) {
      const errors: unknown[] = []
      for (const object of informer.list()) {
        try {
          wakeFor(object, 'resync', enqueue)
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0) throw new Error(`${errors.length} objects could not be mapped`, { cause: errors[0] })
    },
  }
}

/** Objects of the first list, and objects that did not change, are not fresh. */
function urgencyOf<T extends ApiObject>(change: Change<T>): Urgency {
  if (change.type === 'added') return change.initial ? 'resync' : 'fresh'
  if (change.type === 'deleted') return 'fresh'
  return change.before.metadata.resourceVersion === change.after.metadata.resourceVersion ? 'resync' : 'fresh'
}
