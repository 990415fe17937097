import { createHash } from 'node:crypto'
import { requeueAfter } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { Requeue } from '@orrery/kube/controller'
import { semanticEqual } from '@orrery/kube/write'
import { type Corrections, NO_CORRECTIONS, oneMore, pausedUntil } from './corrections.js'

interface Known {
  /** Of the value that was last written. */
  readonly digest: string
  readonly corrections: Corrections
}

const MAX_PAUSE = 300_000

/**
 * Keeps two agents that report on one object, for example when both joined under one name, from overwriting each
 * other's reports in a tight loop. New values are still written at once.
 */
export class Contention {
  readonly #clock: Clock
  readonly #maxPause: number
  readonly #known = new Map<string, Known>()

  /** `maxPause` in milliseconds: a value that others keep overwriting is written again after this time at the latest. */
  constructor(clock: Clock, maxPause = MAX_PAUSE) {
    this.#clock = clock
    this.#maxPause = maxPause
  }

  /** Begins a write of the object with that key. */
  turn(key: string): Turn {
    return new Turn(this.#known, key, this.#clock.elapsed(), this.#maxPause)
  }

  forget(key: string): void {
    this.#known.delete(key)
  }
}

/** One write, with its retries: `settle` decides what to write each time, and `done` records success. */
export class Turn {
  readonly #known: Map<string, Known>
  readonly #key: string
  readonly #now: number
  readonly #maxPause: number
  #pending: Known | undefined
  #pausedUntil: number | undefined

  constructor(known: Map<string, Known>, key: string, now: number, maxPause: number) {
    this.#known = known
    this.#key = key
    this.#now = now
    this.#maxPause = maxPause
  }

  /** When to retry, if the write is held back until then. */
  get again(): Requeue | undefined {
    return this.#pausedUntil === undefined ? undefined : requeueAfter(this.#pausedUntil - this.#now)
  }

  /**
   * The value to write over the current one: the wanted value, or the current one if the write is held back.
   * `essence` is the part that this writer owns.
   */
  settle<T extends object | undefined>(current: T, wish: T, essence: unknown = wish): T {
    this.#pending = undefined
    this.#pausedUntil = undefined
    if (semanticEqual(current ?? {}, wish ?? {})) return current
    const digest = digestOf(essence)
    const known = this.#known.get(this.#key)
    if (known?.digest !== digest) {
      this.#pending = { corrections: known?.corrections ?? NO_CORRECTIONS, digest }
      return wish
    }
    const until = pausedUntil(known.corrections, this.#now, this.#maxPause)
    if (this.#now < until) {
      this.#pausedUntil = until
      return current
    }
    this.#pending = { digest, corrections: oneMore(known.corrections, this.#now) }
    return wish
  }

  /** Records the write. A different value found later counts as overwritten. */
  done(): void {
    if (this.#pending !== undefined) this.#known.set(this.#key, this.#pending)
  }
}

/** Transition times are no difference. */
function digestOf(essence: unknown): string {
  const text = JSON.stringify(essence ?? null, (key, value: unknown) =>
    key === 'lastTransitionTime' ? undefined : value,
  )
  return createHash('md5').update(text).digest('base64')
}
