import type { HttpRequest, HttpResponse, Transport } from '../client/transport.js'

/** A transport that is loaded with the first request: programs that never send one start faster. */
export class LazyTransport implements Transport {
  readonly #load: () => Promise<Transport>
  #loading: Promise<Transport> | undefined
  #loaded: Transport | undefined
  #closed = false

  constructor(load: () => Promise<Transport>) {
    this.#load = load
  }

  request(request: HttpRequest): Promise<HttpResponse> {
    if (this.#loaded !== undefined) return this.#loaded.request(request)
    this.#loading ??= this.#finish()
    return this.#loading.then((transport) => transport.request(request))
  }

  close(): void {
    this.#closed = true
    this.#loaded?.close?.()
  }

  async #finish(): Promise<Transport> {
    const transport = await this.#load()
    if (this.#closed) transport.close?.()
    this.#loaded = transport
    return transport
  }
}
