import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'
import type { Identity } from '../identity/identity.js'
import { LocalExchange } from './in-process.js'

/** Kept here, because tests replace the global timers. */
const nextTurn = setImmediate

/** Sends requests to a server in the same process, through the same handler chain as those over the network. */
export class InProcessTransport implements Transport {
  readonly #handle: (exchange: LocalExchange) => Promise<void>
  readonly #identity: Identity

  constructor(handle: (exchange: LocalExchange) => Promise<void>, identity: Identity) {
    this.#handle = handle
    this.#identity = identity
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    request.signal?.throwIfAborted()
    const exchange = new LocalExchange(request, this.#identity)
    void this.#handle(exchange)
    const response = await exchange.response
    // Many responses need no turn of the event loop: a program that polls would block the event that it waits for.
    await new Promise<void>((resolve) => nextTurn(resolve))
    return response
  }
}
