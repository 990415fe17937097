import type { Logger } from '@orrery/kube'
import type { Change, Store } from './types.js'

export type ChangeListener = (change: Change) => void

/** Durable changes by bucket: one subscription to the store for everything in the server that follows it. */
export class ChangeFeed {
  readonly #log: Logger
  readonly #byBucket = new Map<string, Set<ChangeListener>>()
  readonly #everything = new Set<ChangeListener>()
  readonly #unsubscribe: () => void

  constructor(store: Store, log: Logger) {
    this.#log = log
    this.#unsubscribe = store.subscribe((changes) => {
      for (const change of changes) this.#publish(change)
    })
  }

  /** Calls back with every change of a bucket. Returns a function that stops it. */
  on(bucket: string, listener: ChangeListener): () => void {
    const listeners = this.#byBucket.get(bucket) ?? new Set()
    this.#byBucket.set(bucket, listeners)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }

  /** Calls back with every change. Listeners must decide quickly whether it concerns them. */
  onEvery(listener: ChangeListener): () => void {
    this.#everything.add(listener)
    return () => {
      this.#everything.delete(listener)
    }
  }

  close(): void {
    this.#unsubscribe()
  }

  #publish(change: Change): void {
    const listeners = this.#byBucket.get(change.entry.bucket)
    if (listeners !== undefined) for (const listener of listeners) this.#call(listener, change)
    for (const listener of this.#everything) this.#call(listener, change)
  }

  /** An error of one listener must not affect the others. */
  #call(listener: ChangeListener, change: Change): void {
    try {
      listener(change)
    } catch (error) {
      const { bucket, namespace, name } = change.entry
      this.#log.error('a listener failed on a change', { resource: bucket, namespace, name, error })
    }
  }
}
