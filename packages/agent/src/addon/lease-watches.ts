import { Lease, type ObjectRef } from '@orrery/kinds'
import type { Informer, Informers } from '@orrery/kube'
import type { Enqueue, Wake } from '@orrery/kube/controller'
import type { SharedInformer } from '@orrery/kube/informer'
import type { AddonLocation } from './location.js'

/** The watch of one namespace, and the add-ons that run there. */
interface NamespaceWatch {
  readonly leases: SharedInformer<Lease>
  readonly addons: Set<string>
  readonly close: () => Promise<void>
}

export interface LeaseWatchesOptions {
  /** The namespace of the add-ons on the hub. */
  readonly clusterName: string
  readonly managed: Informers
  readonly hosting: Informers
}

/**
 * The Leases of add-ons on the clusters that they run on. Add-ons in one namespace share a watch, which is closed when none is left. A
 * watch of all Leases would receive the renewals of every node.
 */
export class LeaseWatches {
  readonly #options: LeaseWatchesOptions
  readonly #watches = new Map<string, NamespaceWatch>()
  /** The key of the watch of each add-on. */
  readonly #keys = new Map<string, string>()
  readonly #listeners = new Set<Enqueue>()

  constructor(options: LeaseWatchesOptions) {
    this.#options = options
  }

  /** The number of open watches. */
  get size(): number {
    return this.#watches.size
  }

  /** Watches the Lease of an add-on. Returns its informer. */
  async follow(addonName: string, location: AddonLocation): Promise<Informer<Lease>> {
    const key = JSON.stringify([this.#informersFor(location) === this.#options.managed, location.namespace])
    if (this.#keys.get(addonName) !== key) await this.unfollow(addonName)
    const watch = this.#watches.get(key) ?? this.#open(key, location)
    watch.addons.add(addonName)
    this.#keys.set(addonName, key)
    return watch.leases
  }

  /** Stops watching the Lease of an add-on. */
  async unfollow(addonName: string): Promise<void> {
    const key = this.#keys.get(addonName)
    const watch = key === undefined ? undefined : this.#watches.get(key)
    if (key === undefined || watch === undefined) return
    this.#keys.delete(addonName)
    watch.addons.delete(addonName)
    if (watch.addons.size > 0) return
    this.#watches.delete(key)
    await watch.close()
  }

  /** Wakes a controller for the add-on of each Lease that changes, and for all of a namespace whose watch has synced. */
  wake(base: Informer): Wake {
    return {
      informer: base,
      start: (enqueue) => {
        this.#listeners.add(enqueue)
        return () => this.#listeners.delete(enqueue)
      },
      resync: () => undefined,
    }
  }

  #open(key: string, location: AddonLocation): NamespaceWatch {
    const informers = this.#informersFor(location)
    const leases = informers.of(Lease, { namespace: location.namespace })
    const addons = new Set<string>()
    const ended = new AbortController()
    leases.whenSynced(ended.signal).then(
      () => {
        for (const name of addons) this.#notify(name)
      },
      // It is closed before it has synced.
      () => undefined,
    )
    const unsubscribe = leases.subscribe(({ before, after }) => {
      const name = (after ?? before)?.metadata.name
      if (leases.synced && name !== undefined && addons.has(name)) this.#notify(name)
    })
    const close = () => {
      ended.abort()
      unsubscribe()
      return informers.drop(leases)
    }
    const watch = { leases, addons, close }
    this.#watches.set(key, watch)
    return watch
  }

  #informersFor({ isHosted }: AddonLocation): Informers {
    return isHosted ? this.#options.hosting : this.#options.managed
  }

  #notify(name: string): void {
    const ref: ObjectRef = { namespace: this.#options.clusterName, name }
    for (const enqueue of this.#listeners) enqueue(ref, 'fresh')
  }
}
