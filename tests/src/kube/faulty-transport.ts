import type { StatusError } from '@orrery/kinds/values'
import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'

type Fault = { readonly kind: 'broken'; readonly error: Error } | { readonly kind: 'silent' }

/** A transport to a server with all faults of a network and a server. */
export class FaultyTransport implements Transport {
  /** The server. Undefined: connections are refused. */
  target: Transport | undefined
  /** Responses for the next requests. */
  readonly failures: StatusError[] = []
  readonly #streams = new Set<(fault: Fault) => void>()

  constructor(target: Transport) {
    this.target = target
  }

  /** Breaks all open connections. */
  breakStreams(): void {
    this.#strike({ kind: 'broken', error: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) })
  }

  /** Silences all open connections without closing them: half-open TCP. */
  silenceStreams(): void {
    this.#strike({ kind: 'silent' })
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    if (this.target === undefined) {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    }
    const failure = this.failures.shift()
    if (failure !== undefined) return failed(failure)
    if (!request.path.includes('watch=true')) return this.target.request(request)
    const upstream = new AbortController()
    const response = await this.target.request({ ...request, signal: upstream.signal })
    return { ...response, body: this.#through(response, request.signal, upstream), bytes: () => response.bytes() }
  }

  #strike(fault: Fault): void {
    for (const strike of this.#streams) strike(fault)
  }

  async *#through(
    response: HttpResponse,
    signal: AbortSignal | undefined,
    upstream: AbortController,
  ): AsyncGenerator<Buffer> {
    let strike: (fault: Fault) => void = () => undefined
    const struck = new Promise<Fault>((resolve) => {
      strike = resolve
    })
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('the request was aborted')), { once: true })
    })
    aborted.catch(() => upstream.abort())
    this.#streams.add(strike)
    const chunks = response.body[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await Promise.race([chunks.next(), struck, aborted])
        if ('kind' in next) {
          if (next.kind === 'broken') throw next.error
          await aborted
        } else if (next.done === true) return
        else yield next.value
      }
    } finally {
      this.#streams.delete(strike)
      upstream.abort()
    }
  }
}

function failed(error: StatusError): HttpResponse {
  const bytes = Buffer.from(JSON.stringify(error.status))
  async function* body(): AsyncGenerator<Buffer> {
    yield bytes
  }
  return { status: error.code, headers: {}, body: body(), bytes: () => Promise.resolve(bytes) }
}
