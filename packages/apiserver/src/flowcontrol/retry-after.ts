/** So many refused requests are asked to come back in one second. */
const RETURNS_PER_SECOND = 200
/** As kube-apiserver's. */
const MAX_SECONDS = 32

/**
 * When refused requests shall be tried again. Each gets a place in the seconds to come, so that clients that were refused
 * together do not all come back together: then refusing them would be most of the work.
 */
export class RetryAfter {
  readonly #now: () => number
  /** The place of the last one that was refused, in milliseconds. */
  #last = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The seconds that one more refused request shall wait. */
  next(): number {
    const now = this.#now()
    const longest = now + MAX_SECONDS * 1_000
    this.#last = Math.min(Math.max(this.#last + 1_000 / RETURNS_PER_SECOND, now), longest)
    return Math.max(1, Math.ceil((this.#last - now) / 1_000))
  }
}
