import { requeueAfter, requeueAt } from '@orrery/kube'
import type { Requeue } from '@orrery/kube/controller'

/** How often a placement is scheduled again because of its own decisions. With Steady, hardly any of them change. */
const MAX_ROUNDS = 2

interface Progress {
  /** Something that the placement reads has changed since its last run started. */
  isChanged: boolean
  /** The next run is a round of settling, unless something changes. */
  isRound: boolean
  /** The rounds since the last change. */
  rounds: number
  /** When the result can change because of time. */
  nextAt: Date | undefined
}

/**
 * Balance counts the decisions of other placements, so that the best clusters of a placement can be others once all of them
 * have decided. As in Open Cluster Management, a placement with new decisions is scheduled once more, after those that wait.
 * Placements that react to each other could continue forever, so the number of rounds is limited.
 *
 * | the placement                | its next run |
 * |------------------------------|--------------|
 * | reads something that changed | complete     |
 * | has reached `nextAt`         | complete     |
 * | failed                       | complete     |
 * | has new decisions            | a round, up to the limit |
 * | is resynchronized            | the last round |
 *
 * A round that selects the same clusters writes nothing, although scores may differ.
 */
export class Settling {
  readonly #progress = new Map<string, Progress>()

  /** Something that a placement reads has changed. */
  changed(key: string): void {
    const progress = this.#progress.get(key)
    if (progress !== undefined) progress.isChanged = true
  }

  /** A placement is scheduled again without a change. */
  resync(key: string): void {
    const progress = this.#progress.get(key)
    if (progress === undefined) return
    progress.isRound = true
    progress.rounds = MAX_ROUNDS
  }

  /** Starts a run. Returns whether it is only a round. */
  begin(key: string, now: Date): boolean {
    const { isChanged, isRound, rounds, nextAt } = this.#progress.get(key) ?? { isChanged: true }
    const isDue = nextAt !== undefined && nextAt <= now
    const isReset = isChanged || isDue
    this.#progress.set(key, {
      isChanged: false,
      isRound: false,
      rounds: isReset ? 0 : (rounds ?? 0),
      nextAt: isDue ? undefined : nextAt,
    })
    return isRound === true && !isReset
  }

  /** A round ended without new decisions. Returns when the next run is. */
  unchanged(key: string): Requeue | undefined {
    const nextAt = this.#progress.get(key)?.nextAt
    return nextAt && requeueAt(nextAt)
  }

  /** The result of a run is written. Returns when the next run is. */
  written(key: string, hasNewDecisions: boolean, nextAt: Date | undefined): Requeue | undefined {
    const progress = this.#progress.get(key)
    if (progress === undefined) return undefined
    progress.nextAt = nextAt
    if (hasNewDecisions && progress.rounds < MAX_ROUNDS) {
      progress.isRound = true
      progress.rounds++
      return requeueAfter(0)
    }
    return nextAt && requeueAt(nextAt)
  }

  forget(key: string): void {
    this.#progress.delete(key)
  }
}
