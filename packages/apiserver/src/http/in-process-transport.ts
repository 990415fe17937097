import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'
import type { Identity } from '../identity/identity.js'
import { LocalExchange } from './in-process.js'

/** Kept, because tests put other timers in the place of the global ones. */
const nextTurn = setImmediate

/** Carries requests straight into a server in the same process, through the same pipeline as those over the network. */
export class InProcessTransport implements Transport {
  readonly #handle: (exchange: LocalExchange) => Promise<void>
  readonly #identity: Identity

  constructor(handle: (exchange: LocalExchange) => Promise<void>, identity: Identity) {
    this.#handle = handle
    this.#identity = identity
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    const exchange = new LocalExchange(request, this.#identity)
    void this.#handle(exchange)
    const response = await exchange.response
    // Many replies need no turn of the event loop: a program that asks until something happens would keep it from happening.
    await new Promise<void>((resolve) => nextTurn(resolve))
    return response
  }
}
