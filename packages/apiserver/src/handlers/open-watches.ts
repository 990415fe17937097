import type { Exchange } from '../http/exchange.js'
import type { AccessRequest, Authorizer } from '../identity/identity.js'

/** Kept, because tests put other timers in the place of the global ones. */
const nextTurn = setImmediate

/**
 * Ends watches of those who lose the right to watch, as soon as they do: kube-apiserver lets them go on until they time
 * out, up to an hour later.
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

  /** Roles and bindings often change together: they are looked at once. */
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
