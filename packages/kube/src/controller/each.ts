import type { ApiObject, ObjectRef } from '@orrery/kinds'
import type { Change, Informer } from '../informer/types.js'
import type { Predicate } from './predicates.js'
import type { Enqueue, Wake } from './types.js'
import type { Urgency } from './workqueue.js'

/** What is to be looked at because of an object. */
export type Mapping<T> = (object: T) => ObjectRef | Iterable<ObjectRef> | undefined

export interface EachOptions<T> {
  /** Which changes matter. Default all. A resync asks nobody: it is there for what was missed. */
  readonly when?: Predicate<T>
}

/**
 * Wakes a controller for each change of an informer's objects: to look at the object itself, or at what it maps to.
 * The mapping is asked about the object as it was and as it is, so that an owner that lost it wakes as well as the one
 * that got it.
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

/** What was there at the start is not news, nor is an object told of again as it was. */
function urgencyOf<T extends ApiObject>(change: Change<T>): Urgency {
  if (change.type === 'added') return change.initial ? 'resync' : 'fresh'
  if (change.type === 'deleted') return 'fresh'
  return change.before.metadata.resourceVersion === change.after.metadata.resourceVersion ? 'resync' : 'fresh'
}
