const MIN_MS = 250
const MAX_MS = 30_000
/** After this run time the backoff starts over. */
const WELL_AFTER_MS = 60_000

/** The delay before a part that exited is restarted: longer each time, until it has run for a while. */
export class RestartBackoff {
  #failures = 0

  /** The delay after a run of this length, in milliseconds. */
  next(ranFor: number): number {
    if (ranFor >= WELL_AFTER_MS) this.#failures = 0
    return Math.min(MAX_MS, MIN_MS * 2 ** this.#failures++)
  }

  /** How many runs in a row were short. */
  get failures(): number {
    return this.#failures
  }
}
