const MIN_MS = 250
const MAX_MS = 30_000
/** A part that ran for this long is taken to be well again. */
const WELL_AFTER_MS = 60_000

/** How long to wait before a part that died is started again: longer each time, until it has run for a while. */
export class RestartBackoff {
  #failures = 0

  /** The wait after a run that took so long, in milliseconds. */
  next(ranFor: number): number {
    if (ranFor >= WELL_AFTER_MS) this.#failures = 0
    return Math.min(MAX_MS, MIN_MS * 2 ** this.#failures++)
  }

  /** How many runs in a row were short. */
  get failures(): number {
    return this.#failures
  }
}
