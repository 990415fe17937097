import { createHash } from 'node:crypto'
import type { Clock, DynamicObject } from '@orrery/kube'
import { contentOf } from './carryover.js'

interface Remembered {
  /** What was applied: which state of the work, and for which owner. */
  readonly what: string
  /** The version of the object that is as it should be. */
  resourceVersion: string
  readonly digest: string
  /** How often somebody else undid it lately, and when that was last set right. */
  readonly corrections: number
  readonly correctedAt: number
}

/** So many corrections in a row come at once: what goes on after them is somebody who wants it otherwise. */
const FREE_CORRECTIONS = 3
const FIRST_PAUSE = 1_000
/** Nobody undid it for so long: what comes next is another matter. */
const PEACE = 600_000

/**
 * What this agent has applied, as far as it needs to know to leave alone what is as it should be. It is lost when the agent
 * stops; then everything is compared once more.
 */
export class AppliedMemory {
  readonly #clock: Clock
  readonly #longestPause: number
  readonly #works = new Map<string, Map<string, Remembered>>()

  constructor(clock: Clock, longestPauseMilliseconds: number) {
    this.#clock = clock
    this.#longestPause = longestPauseMilliseconds
  }

  /** Whether the object is as it was left when the same was applied, but for its status and what servers say about it. */
  isUnchanged(work: string, key: string, what: string, current: DynamicObject): boolean {
    const known = this.#works.get(work)?.get(key)
    if (known === undefined || known.what !== what) return false
    const { resourceVersion } = current.metadata
    if (known.resourceVersion === resourceVersion) return true
    if (known.digest !== digestOf(current)) return false
    known.resourceVersion = resourceVersion
    return true
  }

  /** Whether this is the very version that was left when something was applied. */
  isLeft(work: string, key: string, resourceVersion: string | undefined): boolean {
    return resourceVersion !== undefined && this.#works.get(work)?.get(key)?.resourceVersion === resourceVersion
  }

  /** Until when others are left to have their way with the object, by the clock's elapsed time. */
  pausedUntil(work: string, key: string, what: string): number {
    const known = this.#works.get(work)?.get(key)
    if (known === undefined || known.what !== what || known.corrections < FREE_CORRECTIONS) return 0
    const pause = FIRST_PAUSE * 2 ** (known.corrections - FREE_CORRECTIONS)
    return known.correctedAt + Math.min(pause, this.#longestPause)
  }

  /** The object is as it should be now; before, it was seen in another state, or not at all. */
  applied(work: string, key: string, what: string, object: DynamicObject, seen: DynamicObject | undefined): void {
    const objects = this.#works.get(work) ?? new Map<string, Remembered>()
    this.#works.set(work, objects)
    const known = objects.get(key)
    const now = this.#clock.elapsed()
    const { resourceVersion } = object.metadata
    const isCorrection =
      known?.what === what &&
      known.resourceVersion !== resourceVersion &&
      seen?.metadata.resourceVersion !== resourceVersion
    const before = known === undefined || now - known.correctedAt > PEACE ? 0 : known.corrections
    objects.set(key, {
      what,
      resourceVersion,
      digest: digestOf(object),
      corrections: isCorrection ? before + 1 : known?.what === what ? before : 0,
      correctedAt: isCorrection ? now : (known?.correctedAt ?? 0),
    })
  }

  /** Forgets about the objects of a work that are not among these. */
  keepOnly(work: string, keys: ReadonlySet<string>): void {
    const objects = this.#works.get(work)
    for (const key of objects?.keys() ?? []) if (!keys.has(key)) objects?.delete(key)
    if (objects?.size === 0) this.#works.delete(work)
  }
}

function digestOf(object: DynamicObject): string {
  const { labels, annotations, ownerReferences } = object.metadata
  const text = JSON.stringify([contentOf(object), labels, annotations, ownerReferences])
  return createHash('md5').update(text).digest('base64')
}
