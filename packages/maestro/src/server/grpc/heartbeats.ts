import type { Clock } from '@orrery/kube/clock'
import { heartbeat } from '../../codec/protobuf.js'

const SLOTS = 10

/** Sends heartbeats to many streams, a tenth of them at a time. */
export class Heartbeats {
  readonly #slots = Array.from({ length: SLOTS }, () => new Set<(message: Uint8Array) => void>())
  readonly #clock: Clock
  readonly #interval: number
  #next = 0
  #added = 0
  #cancel: () => void

  constructor(clock: Clock, seconds: number) {
    this.#clock = clock
    this.#interval = (seconds * 1_000) / SLOTS
    this.#cancel = clock.after(this.#interval, () => this.#beat())
  }

  /** Returns a function that removes the stream. */
  add(write: (message: Uint8Array) => void): () => void {
    const slot = this.#slots[this.#added++ % SLOTS]!
    slot.add(write)
    return () => slot.delete(write)
  }

  close(): void {
    this.#cancel()
  }

  #beat(): void {
    this.#cancel = this.#clock.after(this.#interval, () => this.#beat())
    const slot = this.#slots[this.#next++ % SLOTS]!
    if (slot.size === 0) return
    const message = heartbeat()
    for (const write of slot) write(message)
  }
}
