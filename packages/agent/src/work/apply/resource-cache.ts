import { createHash } from 'node:crypto'
import type { Clock } from '@orrery/kube/clock'
import type { DynamicObject } from '@orrery/kube/discovery'
import { type Corrections, NO_CORRECTIONS, oneMore, pausedUntil } from '../../corrections.js'
import { contentOf } from './carry-over.js'

interface Remembered {
  /** What was applied: the spec of the work and the owner. */
  readonly what: string
  /** The version of the object in the desired state. */
  resourceVersion: string
  readonly digest: string
  readonly corrections: Corrections
}

/**
 * Remembers what this agent has applied, so that it skips objects in the desired state. It is lost when the agent
 * stops; then every object is compared again.
 */
export class ResourceCache {
  readonly #clock: Clock
  readonly #maxPause: number
  readonly #works = new Map<string, Map<string, Remembered>>()

  constructor(clock: Clock, maxPauseMilliseconds: number) {
    this.#clock = clock
    this.#maxPause = maxPauseMilliseconds
  }

  /** Whether the object is unchanged since the same was applied, except for its status and server metadata. */
  isUnchanged(work: string, key: string, what: string, current: DynamicObject): boolean {
    const known = this.#works.get(work)?.get(key)
    if (known === undefined || known.what !== what) return false
    const { resourceVersion } = current.metadata
    if (known.resourceVersion === resourceVersion) return true
    if (known.digest !== digestOf(current)) return false
    known.resourceVersion = resourceVersion
    return true
  }

  /** Whether this is the exact version that the last apply left. */
  isLeft(work: string, key: string, resourceVersion: string | undefined): boolean {
    return resourceVersion !== undefined && this.#works.get(work)?.get(key)?.resourceVersion === resourceVersion
  }

  /** Until when not to correct the object, by the clock's elapsed time. */
  pausedUntil(work: string, key: string, what: string): number {
    const known = this.#works.get(work)?.get(key)
    if (known === undefined || known.what !== what) return 0
    return pausedUntil(known.corrections, this.#clock.elapsed(), this.#maxPause)
  }

  /** Records that the object is in the desired state now, and was in another state or unknown before. */
  applied(work: string, key: string, what: string, object: DynamicObject, seen: DynamicObject | undefined): void {
    const objects = this.#works.get(work) ?? new Map<string, Remembered>()
    this.#works.set(work, objects)
    const known = objects.get(key)
    const { resourceVersion } = object.metadata
    const before = known?.what === what ? known.corrections : NO_CORRECTIONS
    const isCorrection =
      known?.what === what &&
      known.resourceVersion !== resourceVersion &&
      seen?.metadata.resourceVersion !== resourceVersion
    const corrections = isCorrection ? oneMore(before, this.#clock.elapsed()) : before
    objects.set(key, { what, resourceVersion, digest: digestOf(object), corrections })
  }

  /** Forgets the objects of a work that are not in the set. */
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
