import type { ObjectRef } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'

/**
 * Wakes a controller for one object when an informer syncs and whenever it changes, without waiting for the sync: the
 * kind may be absent or forbidden, and the controller has to run anyway. It waits for `base` instead.
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

/** Wakes controllers by hand, for changes that no informer sees. */
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
