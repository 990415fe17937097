/**
 * Limits how many bytes the node puts together for a pod. Variables and volumes can name the same value many times, so that a
 * small pod could otherwise use up the memory of the node, which shares its process with the API server.
 */
export class ByteBudget {
  #left: number
  readonly #exceeded: () => Error

  /** `exceeded` creates the error for an exhausted budget. */
  constructor(bytes: number, exceeded: () => Error) {
    this.#left = bytes
    this.#exceeded = exceeded
  }

  /** Call this before the bytes are allocated. */
  take(bytes: number): void {
    this.#left -= bytes
    if (this.#left < 0) throw this.#exceeded()
  }
}
