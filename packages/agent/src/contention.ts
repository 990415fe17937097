import { createHash } from 'node:crypto'
import { type Clock, type Requeue, requeueAfter, semanticEqual } from '@orrery/kube'

interface Known {
  /** Of what was written last. */
  readonly digest: string
  /** How often somebody else undid it lately, and when that was last set right. */
  readonly corrections: number
  readonly correctedAt: number
}

/** So many corrections in a row come at once: what goes on after them is somebody who sees it otherwise. */
const FREE_CORRECTIONS = 3
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 300_000
/** Nobody undid it for so long: what comes next is another matter. */
const PEACE = 600_000

/**
 * Keeps two agents that report on one object, as when both were let in under one name, from undoing each other's reports
 * as fast as the hub can take them. News is written at once all the same.
 */
export class Contention {
  readonly #clock: Clock
  readonly #longestPause: number
  readonly #known = new Map<string, Known>()

  /** `longestPause` in milliseconds: after so long, even what was contradicted all the time is said again. */
  constructor(clock: Clock, longestPause = LONGEST_PAUSE) {
    this.#clock = clock
    this.#longestPause = longestPause
  }

  /** Begins a write of what goes by that key. */
  turn(key: string): Turn {
    return new Turn(this.#known, key, this.#clock.elapsed(), this.#longestPause)
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
  readonly #longestPause: number
  #pending: Known | undefined
  #pausedUntil: number | undefined

  constructor(known: Map<string, Known>, key: string, now: number, longestPause: number) {
    this.#known = known
    this.#key = key
    this.#now = now
    this.#longestPause = longestPause
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
      this.#pending = { corrections: 0, correctedAt: 0, ...known, digest }
      return wish
    }
    const corrections = this.#now - known.correctedAt > PEACE ? 0 : known.corrections
    const until = known.correctedAt + Math.min(pauseAfter(corrections), this.#longestPause)
    if (this.#now < until) {
      this.#pausedUntil = until
      return current
    }
    this.#pending = { digest, corrections: corrections + 1, correctedAt: this.#now }
    return wish
  }

  /** It is written: who finds something else there has been contradicted. */
  done(): void {
    if (this.#pending !== undefined) this.#known.set(this.#key, this.#pending)
  }
}

function pauseAfter(corrections: number): number {
  if (corrections < FREE_CORRECTIONS) return 0
  return FIRST_PAUSE * 2 ** (corrections - FREE_CORRECTIONS)
}

/** When something became so is no difference of opinion. */
function digestOf(essence: unknown): string {
  const text = JSON.stringify(essence ?? null, (key, value: unknown) =>
    key === 'lastTransitionTime' ? undefined : value,
  )
  return createHash('md5').update(text).digest('base64')
}
