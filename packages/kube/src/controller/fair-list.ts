import { type Linked, LinkedList } from './linked-list.js'

/** A member of one of the flows. */
export interface Flowing<T> extends Linked<T> {
  readonly flow: string
}

/**
 * Members of several flows. Within a flow, first in is first out; the flows take turns, so that a flow with many members does not
 * delay the others. Every operation takes constant time, and an empty flow uses no memory.
 */
export class FairList<T extends Flowing<T>> {
  /** In the order of their turns. */
  readonly #flows = new Map<string, LinkedList<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    for (const flow of this.#flows.values()) return flow.first
    return undefined
  }

  append(member: T): void {
    let flow = this.#flows.get(member.flow)
    if (flow === undefined) {
      flow = new LinkedList()
      this.#flows.set(member.flow, flow)
    }
    flow.append(member)
    this.#size++
  }

  remove(member: T): void {
    const flow = this.#flows.get(member.flow) as LinkedList<T>
    flow.remove(member)
    this.#size--
    if (flow.size === 0) this.#flows.delete(member.flow)
  }

  /** Removes the first member and ends the turn of its flow. */
  take(): T | undefined {
    const { first } = this
    if (first === undefined) return undefined
    const flow = this.#flows.get(first.flow) as LinkedList<T>
    this.remove(first)
    if (flow.size > 0 && this.#flows.size > 1) {
      this.#flows.delete(first.flow)
      this.#flows.set(first.flow, flow)
    }
    return first
  }
}
