import type { ObjectRef } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'

/**
 * Wakes a controller for one thing when an informer is filled and whenever it changes, without waiting for it: the kind
 * may not be there, or be forbidden, and the rest has to go on. What waits is `base`.
 */
export function meanwhile(informer: Informer, base: Informer, ref: ObjectRef): Wake {
  return {
    informer: base,
    start(enqueue) {
      const ended = new AbortController()
      informer.whenSynced(ended.signal).then(
        () => enqueue(ref, 'fresh'),
        () => undefined,
      )
      const unsubscribe = informer.subscribe(() => {
        if (informer.synced) enqueue(ref, 'fresh')
      })
      return () => {
        ended.abort()
        unsubscribe()
      }
    },
    resync: () => undefined,
  }
}

/** Wakes controllers by hand, for what no informer tells. */
export class Trigger {
  readonly #listeners = new Set<() => void>()

  fire(): void {
    for (const listener of this.#listeners) listener()
  }

  wake(base: Informer, ref: ObjectRef): Wake {
    return {
      informer: base,
      start: (enqueue) => {
        const listener = () => enqueue(ref, 'fresh')
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
      },
      resync: () => undefined,
    }
  }
}
