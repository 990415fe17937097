import { tooLarge } from '../values/index.js'

/**
 * The maximum number of existing items that one patch may visit, about a second of work. A patch that names every item
 * once visits each list two or three times at most, and an object of 3 MB has fewer than half a million members. Only a
 * patch that names one item repeatedly needs more.
 */
const MAX_EFFORT = 2_000_000

/** Counts the items that one patch visits. */
export class Effort {
  #spent = 0

  /** Throws a 413 if a patch visits too many items. */
  spend(items: number): void {
    this.#spent += items
    if (this.#spent > MAX_EFFORT) throw tooLarge('Request entity too large: the patch changes the same items too often')
  }
}
