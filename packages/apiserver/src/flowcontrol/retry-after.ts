/** How many rejected requests get the same `Retry-After`: the server can take about this many a second. */
const RETURNS_PER_SECOND = 200
/** The maximum of kube-apiserver. */
const MAX_SECONDS = 32

/**
 * Computes Retry-After for refused requests. Each gets its own place in the coming seconds, so that clients that were
 * refused together do not all retry together; otherwise refusing them would be most of the work.
 */
export class RetryAfter {
  readonly #now: () => number
  /** The time of the last refused request, in milliseconds. */
  #last = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Returns the seconds that the next refused request should wait. */
  next(): number {
    const now = this.#now()
    const longest = now + MAX_SECONDS * 1_000
    this.#last = Math.min(Math.max(this.#last + 1_000 / RETURNS_PER_SECOND, now), longest)
    return Math.max(1, Math.ceil((this.#last - now) / 1_000))
  }
}
