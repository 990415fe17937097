/** A member of the heap. */
export interface Delayed {
  /** In milliseconds, by the clock of the heap. */
  due: number
  /** The order of members that are due at the same time. */
  order: number
  /** The position in the heap, so that it can be removed. Undefined if it is not in the heap. */
  position: number | undefined
}

/** A binary heap with the earliest member at its head. Every operation takes O(log n). */
export class DelayHeap<T extends Delayed> {
  readonly #members: T[] = []

  get size(): number {
    return this.#members.length
  }

  get head(): T | undefined {
    return this.#members[0]
  }

  add(member: T): void {
    this.#rise(member, this.#members.length)
  }

  /** Removes a member; does nothing if it is not in the heap. */
  remove(member: T): void {
    const { position } = member
    if (position === undefined) return
    member.position = undefined
    const last = this.#members.pop() as T
    if (last === member) return
    this.#put(last, position)
    this.#sink(last, this.#rise(last, position))
  }

  /** Moves a member towards the head. Returns its new position. */
  #rise(member: T, from: number): number {
    let at = from
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = this.#members[above] as T
      if (!earlier(member, parent)) break
      this.#put(parent, at)
      at = above
    }
    this.#put(member, at)
    return at
  }

  #sink(member: T, from: number): void {
    let at = from
    for (;;) {
      const below = this.#earliestBelow(at)
      const child = this.#members[below]
      if (child === undefined || !earlier(child, member)) break
      this.#put(child, at)
      at = below
    }
    this.#put(member, at)
  }

  #earliestBelow(at: number): number {
    const left = 2 * at + 1
    const [one, other] = [this.#members[left], this.#members[left + 1]]
    return one !== undefined && other !== undefined && earlier(other, one) ? left + 1 : left
  }

  #put(member: T, position: number): void {
    this.#members[position] = member
    member.position = position
  }
}

function earlier(one: Delayed, other: Delayed): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order)
}
