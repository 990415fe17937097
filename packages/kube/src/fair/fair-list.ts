import { type Linked, LinkedList } from './linked-list.js'

/** A member of one of the flows. */
export interface Flowing<T> extends Linked<T> {
  readonly flow: string
}

/** The members of one flow, and its place among the others. */
interface Lane<T extends Linked<T>> extends Linked<Lane<T>> {
  readonly flow: string
  readonly members: LinkedList<T>
}

/**
 * Members of several flows. Within a flow, first in is first out; the flows take turns, so that a flow with many members does not
 * delay the others. The time of an operation does not depend on the number of members and flows, and an empty flow uses no memory.
 */
export class FairList<T extends Flowing<T>> {
  readonly #lanes = new Map<string, Lane<T>>()
  /** In the order of their turns. Not the order of the map: finding its first key takes longer, the more keys were deleted. */
  readonly #turns = new LinkedList<Lane<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#turns.first?.members.first
  }

  /** The number of members of a flow. */
  depthOf(flow: string): number {
    return this.#lanes.get(flow)?.members.size ?? 0
  }

  append(member: T): void {
    const { flow } = member
    let lane = this.#lanes.get(flow)
    if (lane === undefined) {
      lane = { flow, members: new LinkedList(), previous: undefined, next: undefined }
      this.#lanes.set(flow, lane)
      this.#turns.append(lane)
    }
    lane.members.append(member)
    this.#size++
  }

  remove(member: T): void {
    const lane = this.#lanes.get(member.flow) as Lane<T>
    lane.members.remove(member)
    this.#size--
    if (lane.members.size === 0) this.#end(lane)
  }

  /** Removes the first member of the first admitted flow, and ends the turn of the flow. The flows before it keep their places. */
  take(admits: (flow: string) => boolean = () => true): T | undefined {
    let lane = this.#turns.first
    while (lane !== undefined && !admits(lane.flow)) lane = lane.next
    const member = lane?.members.first
    if (lane === undefined || member === undefined) return undefined
    lane.members.remove(member)
    this.#size--
    if (lane.members.size === 0) this.#end(lane)
    else if (this.#turns.size > 1) {
      this.#turns.remove(lane)
      this.#turns.append(lane)
    }
    return member
  }

  #end(lane: Lane<T>): void {
    this.#lanes.delete(lane.flow)
    this.#turns.remove(lane)
  }
}
