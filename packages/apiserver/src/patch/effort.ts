import { tooLarge } from '@orrery/kinds/values'

/**
 * Most items of existing values that one patch may go over, about a second of work. A patch that names every item once
 * goes over each list two or three times at most, and an object of 3 MB has fewer than half a million members. Only a
 * patch that names one item again and again needs more.
 */
export const MAX_EFFORT = 2_000_000

/** Counts what one patch goes over. */
export class Effort {
  #spent = 0

  /** Throws 413 when a patch goes over too much. */
  spend(items: number): void {
    this.#spent += items
    if (this.#spent > MAX_EFFORT) throw tooLarge('Request entity too large: the patch changes the same items too often')
  }
}
