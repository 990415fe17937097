import type { ObjectRef } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'

/** Wakes a controller for one object when a source without an informer changes. The controller waits for `base` to sync. */
export function whenever(onChange: (listener: () => void) => () => void, base: Informer, ref: ObjectRef): Wake {
  return { informer: base, start: (enqueue) => onChange(() => enqueue(ref, 'fresh')), resync: () => undefined }
}
