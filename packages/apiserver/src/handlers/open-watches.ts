import { startInSlices } from '../fairness/started-in-slices.js'
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
  /** The namespaces whose watches are being checked, and whether they have to be checked again; empty for all. */
  readonly #checking = new Map<string, boolean>()

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer
    authorizer.onLoss?.((namespace) => this.#checkSoon(namespace))
  }

  add(exchange: Exchange, request: AccessRequest): void {
    this.#open.set(exchange, request)
    exchange.onClose(() => this.#open.delete(exchange))
  }

  #checkSoon(namespace: string): void {
    if (this.#open.size === 0) return
    const isChecking = this.#checking.has(namespace)
    this.#checking.set(namespace, true)
    if (!isChecking) void this.#checkWhileDue(namespace)
  }

  /** Roles and bindings often change together, so they are checked once. */
  async #checkWhileDue(namespace: string): Promise<void> {
    while (this.#checking.get(namespace) === true) {
      await new Promise((resolve) => nextTurn(resolve))
      this.#checking.set(namespace, false)
      const concerned = [...this.#open].filter(([, request]) => namespace === '' || request.namespace === namespace)
      // A user can have thousands of watches, and thousands of rules to check each of them.
      await startInSlices(concerned, 1, ([exchange, request]) => this.#check(exchange, request))
    }
    this.#checking.delete(namespace)
  }

  /** A watch that cannot be checked ends as well: the client requests it again. */
  async #check(exchange: Exchange, request: AccessRequest): Promise<void> {
    const isAllowed = await this.#isAllowed(request)
    if (!isAllowed) exchange.destroy()
  }

  async #isAllowed(request: AccessRequest): Promise<boolean> {
    try {
      return (await this.#authorizer.authorize(request)).allowed
    } catch {
      return false
    }
  }
}
