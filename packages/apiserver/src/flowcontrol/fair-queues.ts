import { hash } from 'node:crypto'
import type { QueuingConfiguration } from '@orrery/kinds/flowcontrol'

/** A request that waits for seats. */
export interface Waiting {
  readonly seats: number
  readonly start: () => void
}

/** Returns whether a request with this number of seats may be next. */
type Allows = (seats: number) => boolean

const ANY: Allows = () => true

interface Queue {
  readonly index: number
  readonly waiting: Set<Waiting>
  /** The seats it got so far: the queue with the least is next. */
  served: number
}

/**
 * Waiting requests in fair queues, which are served by the seats that they got. A flow is dealt a hand of queues by its
 * hash and uses the shortest of them, so that a busy flow shares few queues with any other flow (shuffle sharding).
 */
export class FairQueues {
  readonly #config: Required<QueuingConfiguration>
  /** The non-empty queues. */
  readonly #queues = new Map<number, Queue>()
  #virtualTime = 0
  #size = 0

  constructor(config: Required<QueuingConfiguration>) {
    this.#config = config
  }

  get size(): number {
    return this.#size
  }

  /** Adds a request. Returns undefined if the queues of its flow are full, otherwise a function that cancels it. */
  add(flow: string, waiting: Waiting): (() => void) | undefined {
    const queue = this.#shortest(flow)
    if (queue.waiting.size >= this.#config.queueLengthLimit) return undefined
    // A queue that was empty gets no credit for the past.
    if (queue.waiting.size === 0) queue.served = Math.max(queue.served, this.#virtualTime)
    this.#queues.set(queue.index, queue)
    queue.waiting.add(waiting)
    this.#size++
    return () => this.#remove(queue, waiting)
  }

  /** Returns the next request among those that are allowed. It stays queued until it is taken. */
  peek(allows: Allows = ANY): Waiting | undefined {
    return first(this.#next(allows)?.waiting)
  }

  take(allows: Allows = ANY): Waiting | undefined {
    const queue = this.#next(allows)
    const waiting = first(queue?.waiting)
    if (queue === undefined || waiting === undefined) return undefined
    this.#virtualTime = queue.served
    queue.served += waiting.seats
    this.#remove(queue, waiting)
    return waiting
  }

  #remove(queue: Queue, waiting: Waiting): void {
    if (!queue.waiting.delete(waiting)) return
    this.#size--
    if (queue.waiting.size === 0) this.#queues.delete(queue.index)
  }

  /** Skips queues whose first request is not allowed. */
  #next(allows: Allows): Queue | undefined {
    let next: Queue | undefined
    for (const queue of this.#queues.values()) {
      if (next !== undefined && queue.served >= next.served) continue
      const waiting = first(queue.waiting)
      if (waiting !== undefined && allows(waiting.seats)) next = queue
    }
    return next
  }

  #shortest(flow: string): Queue {
    let shortest: Queue | undefined
    for (const index of dealHand(flow, this.#config.queues, this.#config.handSize)) {
      const queue = this.#queues.get(index)
      if (queue === undefined) return { index, waiting: new Set(), served: 0 }
      if (shortest === undefined || queue.waiting.size < shortest.waiting.size) shortest = queue
    }
    return shortest as Queue
  }
}

/** Returns distinct queues for a flow, always the same. */
export function dealHand(flow: string, queues: number, handSize: number): number[] {
  let value = BigInt(`0x${hash('sha256', flow, 'hex').slice(0, 32)}`)
  const hand: number[] = []
  for (let dealt = 0; dealt < Math.min(handSize, queues); dealt++) {
    const left = BigInt(queues - dealt)
    let card = Number(value % left)
    value /= left
    // Dealt cards are no longer in the deck, so later ones move up.
    for (const other of [...hand].sort((a, b) => a - b)) if (card >= other) card++
    hand.push(card)
  }
  return hand
}

function first<T>(set: ReadonlySet<T> | undefined): T | undefined {
  for (const item of set ?? []) return item
  return undefined
}
