import type { Exchange } from '../http/exchange.js'
import type { AccessRequest, Authorizer } from '../identity/identity.js'

/** Kept here, because tests replace the global timers. */
const nextTurn = setImmediate

/**
 * Ends watches as soon as their user loses the permission. kube-apiserver lets them continue until their timeout, up to
 * an hour later.
 */
export class OpenWatches {
  readonly #authorizer: Authorizer
  readonly #open = new Map<Exchange, AccessRequest>()
  #isDue = false

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer
    authorizer.onLoss?.(() => this.#checkSoon())
  }

  add(exchange: Exchange, request: AccessRequest): void {
    this.#open.set(exchange, request)
    exchange.onClose(() => this.#open.delete(exchange))
  }

  /** Roles and bindings often change together, so they are checked once. */
  #checkSoon(): void {
    if (this.#isDue || this.#open.size === 0) return
    this.#isDue = true
    nextTurn(() => {
      this.#isDue = false
      for (const [exchange, request] of this.#open) void this.#check(exchange, request)
    })
  }

  async #check(exchange: Exchange, request: AccessRequest): Promise<void> {
    const { allowed } = await this.#authorizer.authorize(request)
    if (!allowed) exchange.destroy()
  }
}
