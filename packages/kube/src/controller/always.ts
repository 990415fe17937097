import type { ObjectRef } from '@orrery/kinds'
import type { Informer } from '../informer/types.js'
import type { Wake } from './types.js'

/** Wakes a controller for one object: at the start, and on every change of an informer, which it waits for. */
export function always(informer: Informer, ref: ObjectRef): Wake {
  return {
    informer,
    start(enqueue) {
      enqueue(ref, 'fresh')
      return informer.subscribe(() => enqueue(ref, 'fresh'))
    },
    resync: (enqueue) => enqueue(ref, 'resync'),
  }
}
