/** A member of a list links to its neighbours, so that it can be removed from the middle. */
export interface Linked<T> {
  previous: T | undefined
  next: T | undefined
}

/** First in, first out. Every operation takes constant time, and an empty list uses no memory. */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined
  #last: T | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#first
  }

  append(member: T): void {
    member.previous = this.#last
    if (this.#last === undefined) this.#first = member
    else this.#last.next = member
    this.#last = member
    this.#size++
  }

  remove(member: T): void {
    const { previous, next } = member
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    member.previous = undefined
    member.next = undefined
    this.#size--
  }
}
