/** The flow of keys that belong to no namespace. */
export const NO_FLOW = ''

/**
 * The workers of a queue, and the flows that they work for. The last free worker is kept for a flow that has none, so that slow
 * reconciles of one namespace do not stop those of all others.
 */
export class Workers {
  readonly #limit: number
  readonly #busy = new Map<string, number>()
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get running(): number {
    return this.#running
  }

  get hasFree(): boolean {
    return this.#running < this.#limit
  }

  /** Cluster-scoped objects are no tenant's, and a controller of them alone uses all workers. */
  admits(flow: string): boolean {
    const free = this.#limit - this.#running
    return free > 1 || (free === 1 && (flow === NO_FLOW || !this.#busy.has(flow)))
  }

  begin(flow: string): void {
    this.#running++
    this.#busy.set(flow, (this.#busy.get(flow) ?? 0) + 1)
  }

  end(flow: string): void {
    this.#running--
    const others = (this.#busy.get(flow) ?? 1) - 1
    if (others === 0) this.#busy.delete(flow)
    else this.#busy.set(flow, others)
  }
}
