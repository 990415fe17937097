import { randomInt } from 'node:crypto'

/** A numbered range of things to hand out, each to one owner at a time. */
export class Pool {
  readonly #size: number
  readonly #dynamicFrom: number
  readonly #owners = new Map<number, string>()

  /** Numbers below `dynamicFrom` are only handed out at random when those above it are gone: people pick them by hand. */
  constructor(size: number, dynamicFrom: number) {
    this.#size = size
    this.#dynamicFrom = dynamicFrom
  }

  /** Whether the number is now the owner's. It is not when somebody else has it. */
  take(number: number, owner: string): boolean {
    const holder = this.#owners.get(number)
    if (holder !== undefined && holder !== owner) return false
    this.#owners.set(number, owner)
    return true
  }

  isHeldBy(number: number, owner: string): boolean {
    return this.#owners.get(number) === owner
  }

  /** Takes some free number; undefined when there is none. */
  takeAny(owner: string): number | undefined {
    return this.#takeBetween(this.#dynamicFrom, this.#size, owner) ?? this.#takeBetween(0, this.#dynamicFrom, owner)
  }

  /** Gives a number back, unless it has become somebody else's. */
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
