import type { Change } from './types.js'

interface Subscriber<T> {
  readonly onChange: (change: Change<T>) => void
  ended: boolean
}

/** Delivers changes to subscribers, in order. A subscriber that throws does not affect the others. */
export class Feed<T> {
  /** Replaced, never modified: a subscriber added during a delivery does not receive the change twice. */
  #subscribers: readonly Subscriber<T>[] = []
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  get size(): number {
    return this.#subscribers.length
  }

  /** Starts with all existing objects. Returns a function that unsubscribes. */
  subscribe(onChange: (change: Change<T>) => void, there: Iterable<T>): () => void {
    const subscriber: Subscriber<T> = { onChange, ended: false }
    this.#subscribers = [...this.#subscribers, subscriber]
    for (const after of there) this.#notify(subscriber, { type: 'added', after, before: undefined, initial: true })
    return () => {
      subscriber.ended = true
      this.#subscribers = this.#subscribers.filter((other) => other !== subscriber)
    }
  }

  publish(change: Change<T>): void {
    for (const subscriber of this.#subscribers) {
      if (!subscriber.ended) this.#notify(subscriber, change)
    }
  }

  #notify(subscriber: Subscriber<T>, change: Change<T>): void {
    try {
      subscriber.onChange(change)
    } catch (error) {
      this.#onError(error)
    }
  }
}
