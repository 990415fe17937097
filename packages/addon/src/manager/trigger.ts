import type { ApiObject, ObjectRef } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { Enqueue, Wake } from '@orrery/kube/controller'

/** Enqueues an object in all controllers that have its wake, without a change of the object. */
export class Trigger {
  readonly #queues = new Set<Enqueue>()

  /** For the controllers of the objects of an informer. */
  wake<T extends ApiObject>(informer: Informer<T>): Wake {
    return {
      informer: informer as unknown as Informer,
      target: informer.kind,
      start: (enqueue) => {
        this.#queues.add(enqueue)
        return () => void this.#queues.delete(enqueue)
      },
      resync: () => undefined,
    }
  }

  fire(ref: ObjectRef): void {
    for (const enqueue of this.#queues) enqueue(ref, 'fresh')
  }
}
