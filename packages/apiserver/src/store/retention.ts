import type { Clock } from '@orrery/kube/clock'

export interface RetentionOptions {
  /** How long changes are kept for watches to resume. Defaults to five minutes. */
  readonly keepMilliseconds?: number
  /** The maximum number of changes that are kept. Defaults to 100,000. */
  readonly maxChanges?: number
  /** The maximum bytes of superseded versions in memory; older ones are read from disk. Defaults to 16 MiB. */
  readonly warmBytes?: number
}

export const DEFAULT_RETENTION: Required<RetentionOptions> = {
  keepMilliseconds: 5 * 60_000,
  maxChanges: 100_000,
  warmBytes: 16 * 1024 * 1024,
}

/** How many times per retention period history is checked. */
const LOOKS = 10
const SHORTEST = 100

/** Reports periodically which revision is old enough to be compacted. */
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
