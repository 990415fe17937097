import type { Informer, ObjectRef, Wake } from '@orrery/kube'

/** Wakes a controller for one thing: at the start, and on every change of an informer. */
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

/** Wakes a controller for one thing when something changes that is in no informer. What it waits for is `base`. */
export function whenever(onChange: (listener: () => void) => () => void, base: Informer, ref: ObjectRef): Wake {
  return { informer: base, start: (enqueue) => onChange(() => enqueue(ref, 'fresh')), resync: () => undefined }
}
