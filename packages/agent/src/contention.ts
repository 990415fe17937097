import { createHash } from 'node:crypto'
import { requeueAfter } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { Requeue } from '@orrery/kube/controller'
import { semanticEqual } from '@orrery/kube/write'
import { type Corrections, NO_CORRECTIONS, oneMore, pausedUntil } from './corrections.js'

interface Known {
  /** Of what was written last. */
  readonly digest: string
  readonly corrections: Corrections
}

const MAX_PAUSE = 300_000

/**
 * Keeps two agents that report on one object, as when both were let in under one name, from undoing each other's reports
 * as fast as the hub can take them. News is written at once all the same.
 */
export class Contention {
  readonly #clock: Clock
  readonly #maxPause: number
  readonly #known = new Map<string, Known>()

  /** `maxPause` in milliseconds: after so long, even what was contradicted all the time is said again. */
  constructor(clock: Clock, maxPause = MAX_PAUSE) {
    this.#clock = clock
    this.#maxPause = maxPause
  }

  /** Begins a write of what goes by that key. */
  turn(key: string): Turn {
    return new Turn(this.#known, key, this.#clock.elapsed(), this.#maxPause)
  }

  forget(key: string): void {
    this.#known.delete(key)
  }
}

/** One attempt to write: asked what to write as often as it takes, and told when that is done. */
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

  /** When to try again, if others are left to have their way until then. */
  get again(): Requeue | undefined {
    return this.#pausedUntil === undefined ? undefined : requeueAfter(this.#pausedUntil - this.#now)
  }

  /** What to write over what is there: the wish, or nothing new. `essence` is what of the wish is the writer's own. */
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

  /** It is written: who finds something else there has been contradicted. */
  done(): void {
    if (this.#pending !== undefined) this.#known.set(this.#key, this.#pending)
  }
}

/** When something became so is no difference of opinion. */
function digestOf(essence: unknown): string {
  const text = JSON.stringify(essence ?? null, (key, value: unknown) =>
    key === 'lastTransitionTime' ? undefined : value,
  )
  return createHash('md5').update(text).digest('base64')
}
