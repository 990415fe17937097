import { FairList, type Flowing } from '../fair/fair-list.js'
import type { EventWrite } from './event-aggregator.js'

interface Queued extends Flowing<Queued> {
  readonly write: EventWrite
}

/** A namespace can queue this many times the events that there is room for. */
const SHARE_OF_ROOM = 8

/**
 * Events to write. Namespaces take turns, and there is always room for a few events of other namespaces than those that have many:
 * one namespace can fill 8/9 of the queue.
 */
export class EventQueue {
  readonly #limit: number
  readonly #list = new FairList<Queued>()
  /** Taken from the list, but not written yet. */
  #inFlight = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** With the event that is being written. */
  get size(): number {
    return this.#list.size + this.#inFlight
  }

  /** Returns false if there is no room for it. */
  add(write: EventWrite): boolean {
    const flow = write.record.namespace
    const room = this.#limit - this.size
    if (this.#list.depthOf(flow) >= room * SHARE_OF_ROOM) return false
    this.#list.append({ write, flow, previous: undefined, next: undefined })
    return true
  }

  /** Writes the next event, if there is one. */
  async writeNext(write: (next: EventWrite) => Promise<void>): Promise<void> {
    const next = this.#list.take()
    if (next === undefined) return
    this.#inFlight++
    try {
      await write(next.write)
    } finally {
      this.#inFlight--
    }
  }

  /** Drops all. Returns how many. */
  clear(): number {
    const dropped = this.#list.size
    for (let next = this.#list.take(); next !== undefined; next = this.#list.take());
    return dropped
  }
}
