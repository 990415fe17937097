/** The memory that the incomplete body of one request holds. */
export interface BodyHold {
  /** Call this for each piece that arrives. */
  add(bytes: number): void
  release(): void
}

interface Held {
  bytes: number
  readonly refuse: () => void
}

/**
 * Limits the memory of all incomplete bodies together. Clients need no credentials, so they could otherwise use up the memory
 * of the hub with many bodies that never end. When the limit is exceeded, the request that holds the most is refused:
 * API servers send their reviews within milliseconds, and most of them are small.
 */
export class BodyBudget {
  readonly #limit: number
  readonly #open = new Set<Held>()
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Starts counting for a request. `refuse` ends it. */
  open(refuse: () => void): BodyHold {
    const held: Held = { bytes: 0, refuse }
    this.#open.add(held)
    return {
      add: (bytes) => {
        if (!this.#open.has(held)) return
        held.bytes += bytes
        this.#bytes += bytes
        while (this.#bytes > this.#limit) this.#refuseLargest()
      },
      release: () => this.#forget(held),
    }
  }

  #refuseLargest(): void {
    let largest: Held | undefined
    for (const held of this.#open) if (largest === undefined || held.bytes > largest.bytes) largest = held
    if (largest === undefined) return
    this.#forget(largest)
    largest.refuse()
  }

  #forget(held: Held): void {
    if (this.#open.delete(held)) this.#bytes -= held.bytes
  }
}
