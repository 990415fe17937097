import type { Clock } from '@orrery/kube/clock'

export interface RetentionOptions {
  /** How long changes are kept for watches to resume from. Five minutes unless told. */
  readonly keepMilliseconds?: number
  /** How many changes are kept at most, however young. 100,000 unless told. */
  readonly maxChanges?: number
  /** How many bytes of superseded versions stay in memory; older ones are read from disk. 16 MiB unless told. */
  readonly warmBytes?: number
}

export const DEFAULT_RETENTION: Required<RetentionOptions> = {
  keepMilliseconds: 5 * 60_000,
  maxChanges: 100_000,
  warmBytes: 16 * 1024 * 1024,
}

/** How many times in the time it is kept history is looked at. */
const LOOKS = 10
const SHORTEST = 100

/** Says, now and then, which revision has been the newest for long enough to be compacted. */
export class AgeLimit {
  readonly #clock: Clock
  readonly #keep: number
  readonly #expire: (revision: number) => void
  readonly #newest: () => number
  #marks: { readonly time: number; readonly revision: number }[] = []
  #cancel: () => void

  constructor(clock: Clock, keepMilliseconds: number, newest: () => number, expire: (revision: number) => void) {
    this.#clock = clock
    this.#keep = keepMilliseconds
    this.#newest = newest
    this.#expire = expire
    this.#cancel = this.#look()
  }

  stop(): void {
    this.#cancel()
  }

  #look(): () => void {
    const now = this.#clock.elapsed()
    this.#marks.push({ time: now, revision: this.#newest() })
    const young = this.#marks.findIndex((mark) => mark.time > now - this.#keep)
    const expired = this.#marks[young - 1]
    if (expired !== undefined) {
      this.#marks = this.#marks.slice(young)
      this.#expire(expired.revision)
    }
    return this.#clock.after(Math.max(this.#keep / LOOKS, SHORTEST), () => {
      this.#cancel = this.#look()
    })
  }
}
