import { randomInt } from 'node:crypto'

/** A numbered range of resources, each with at most one owner. */
export class Pool {
  readonly #size: number
  readonly #dynamicFrom: number
  readonly #owners = new Map<number, string>()

  /**
   * Numbers below `dynamicFrom` are allocated dynamically only when those above are exhausted, since users choose them
   * statically.
   */
  constructor(size: number, dynamicFrom: number) {
    this.#size = size
    this.#dynamicFrom = dynamicFrom
  }

  /** Returns whether the owner now has the number. It does not if another owner has it. */
  take(number: number, owner: string): boolean {
    const holder = this.#owners.get(number)
    if (holder !== undefined && holder !== owner) return false
    this.#owners.set(number, owner)
    return true
  }

  isHeldBy(number: number, owner: string): boolean {
    return this.#owners.get(number) === owner
  }

  /** Allocates a free number; returns undefined if there is none. */
  takeAny(owner: string): number | undefined {
    return this.#takeBetween(this.#dynamicFrom, this.#size, owner) ?? this.#takeBetween(0, this.#dynamicFrom, owner)
  }

  /** Releases a number, unless another owner has it. */
  free(number: number, owner: string): void {
    if (this.#owners.get(number) === owner) this.#owners.delete(number)
  }

  #takeBetween(from: number, to: number, owner: string): number | undefined {
    if (to <= from) return undefined
    const start = randomInt(from, to)
    for (let step = 0; step < to - from; step++) {
      const number = from + ((start - from + step) % (to - from))
      if (this.#owners.has(number)) continue
      this.#owners.set(number, owner)
      return number
    }
    return undefined
  }
}
