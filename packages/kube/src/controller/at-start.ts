import type { ObjectRef } from '@orrery/kinds'
import type { Informer } from '../informer/types.js'
import type { Wake } from './types.js'

/** Wakes a controller for one object once, after the informer has synced, and not on its changes: for what runs periodically. */
export function atStart(informer: Informer, ref: ObjectRef): Wake {
  return {
    informer,
    start(enqueue) {
      enqueue(ref, 'fresh')
      return () => undefined
    },
    resync: (enqueue) => enqueue(ref, 'resync'),
  }
}
