import type { Clock } from '@orrery/kube/clock'

const SLOTS = 10

/** Calls many callbacks at an interval, a tenth of them at a time. Those of one time get the same value. */
export class Rounds<T> {
  readonly #slots = Array.from({ length: SLOTS }, () => new Set<(value: T) => void>())
  readonly #clock: Clock
  readonly #interval: number
  readonly #make: () => T
  #next = 0
  #added = 0
  #cancel: () => void = () => undefined

  /** @param seconds 0 for never. */
  constructor(clock: Clock, seconds: number, make: () => T) {
    this.#clock = clock
    this.#interval = (seconds * 1_000) / SLOTS
    this.#make = make
    if (seconds > 0) this.#schedule()
  }

  /** Returns a function that removes the callback. */
  add(run: (value: T) => void): () => void {
    const slot = this.#slots[this.#added++ % SLOTS]!
    slot.add(run)
    return () => slot.delete(run)
  }

  close(): void {
    this.#cancel()
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(this.#interval, () => this.#run())
  }

  #run(): void {
    this.#schedule()
    const slot = this.#slots[this.#next++ % SLOTS]!
    if (slot.size === 0) return
    const value = this.#make()
    for (const run of slot) run(value)
  }
}
