import type { ObjectRef } from '@orrery/kinds'
import type { Informer, Wake } from '@orrery/kube'

/** Wakes a controller for one thing when something changes that is in no informer. What it waits for is `base`. */
export function whenever(onChange: (listener: () => void) => () => void, base: Informer, ref: ObjectRef): Wake {
  return { informer: base, start: (enqueue) => onChange(() => enqueue(ref, 'fresh')), resync: () => undefined }
}
