import type { ApiObject, Kind, ObjectRef } from '@orrery/kinds'
import { isDNS1123Subdomain, keyOf } from '@orrery/kinds/values'
import type { Informers } from '@orrery/kube'
import type { SharedInformer } from '@orrery/kube/informer'

interface Held {
  readonly informer: SharedInformer
  readonly holders: Set<string>
  readonly forget: () => void
}

/**
 * The ConfigMaps, Secrets and PersistentVolumeClaims that pods use: each is watched individually as long as a pod holds
 * it.
 */
export class HeldObjects {
  readonly #informers: Informers
  readonly #wake: (holder: string) => void
  readonly #signal: AbortSignal
  readonly #held = new Map<string, Held>()

  /** `wake` is called with the holder of an object that changed; `signal` aborts all waiting. */
  constructor(informers: Informers, wake: (holder: string) => void, signal: AbortSignal) {
    this.#informers = informers
    this.#signal = signal
    this.#wake = wake
  }

  /** Returns the object, or undefined if it does not exist. From now on the holder is woken for its changes. */
  async get<T extends ApiObject>(holder: string, kind: Kind<T, object>, ref: ObjectRef): Promise<T | undefined> {
    // Pods can name anything. The server refuses to watch a name such as "a,b", and this would wait forever.
    if (isDNS1123Subdomain(ref.name).length > 0) return undefined
    const key = `${kind.plural}/${keyOf(ref)}`
    let held = this.#held.get(key)
    if (held === undefined) {
      const informer = this.#informers.of(kind, {
        namespace: ref.namespace,
        fieldSelector: `metadata.name=${ref.name}`,
      })
      const holders = new Set<string>()
      const forget = informer.subscribe(({ initial }) => {
        if (!initial) for (const one of holders) this.#wake(one)
      })
      held = { informer: informer as unknown as SharedInformer, holders, forget }
      this.#held.set(key, held)
    }
    held.holders.add(holder)
    await held.informer.whenSynced(this.#signal)
    return held.informer.get(ref) as T | undefined
  }

  /** Releases all objects of a holder. */
  release(holder: string): void {
    for (const [key, { informer, holders, forget }] of this.#held) {
      if (!holders.delete(holder) || holders.size > 0) continue
      this.#held.delete(key)
      forget()
      void this.#informers.drop(informer)
    }
  }
}
