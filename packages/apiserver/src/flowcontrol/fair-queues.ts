import { hash } from 'node:crypto'
import type { Queuing } from './types.js'

/** A request that waits for seats. */
export interface Waiting {
  readonly seats: number
  readonly start: () => void
}

/** Whether a request of so many seats may be next. */
type Allows = (seats: number) => boolean

const ANY: Allows = () => true

interface Queue {
  readonly index: number
  readonly waiting: Set<Waiting>
  /** Seats given to it so far: the queue that had the least is next. */
  served: number
}

/**
 * Requests that wait, in queues that take turns by the seats they were given. A flow is dealt a hand of queues by its
 * hash and uses the shortest of them, so that a busy flow shares few of the queues of any other (shuffle sharding).
 */
export class FairQueues {
  readonly #config: Queuing
  /** Those in which somebody waits. */
  readonly #queues = new Map<number, Queue>()
  #virtualTime = 0
  #size = 0

  constructor(config: Queuing) {
    this.#config = config
  }

  get size(): number {
    return this.#size
  }

  /** Makes a request wait. Undefined when the queues of its flow are full, else the way to give up waiting. */
  add(flow: string, waiting: Waiting): (() => void) | undefined {
    const queue = this.#shortest(flow)
    if (queue.waiting.size >= this.#config.queueLengthLimit) return undefined
    // A queue that was empty has no claim on the past.
    if (queue.waiting.size === 0) queue.served = Math.max(queue.served, this.#virtualTime)
    this.#queues.set(queue.index, queue)
    queue.waiting.add(waiting)
    this.#size++
    return () => this.#remove(queue, waiting)
  }

  /** The request that is next among those that may be. It keeps its place until it is taken. */
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

  /** Queues whose first request may not be next are passed over. */
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

/** Distinct queues for a flow, always the same. */
export function dealHand(flow: string, queues: number, handSize: number): number[] {
  let value = BigInt(`0x${hash('sha256', flow, 'hex').slice(0, 32)}`)
  const hand: number[] = []
  for (let dealt = 0; dealt < Math.min(handSize, queues); dealt++) {
    const left = BigInt(queues - dealt)
    let card = Number(value % left)
    value /= left
    // Cards that are dealt are no longer in the deck: those after them move up.
    for (const other of [...hand].sort((a, b) => a - b)) if (card >= other) card++
    hand.push(card)
  }
  return hand
}

function first<T>(set: ReadonlySet<T> | undefined): T | undefined {
  for (const item of set ?? []) return item
  return undefined
}
