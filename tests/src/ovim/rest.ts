import { Agent, request } from 'node:https'

export interface RestReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The JSON of the body; empty if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: replies of all shapes are compared in tests.
  readonly body: any
}

export interface RestOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A client of the hub service, over TLS, with a token or a certificate. */
export class RestClient {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #agent: Agent

  constructor(
    url: string,
    tls: { readonly ca: string; readonly cert?: string; readonly key?: string },
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.#url = url
    this.#headers = headers
    this.#agent = new Agent({ ...tls, keepAlive: true })
  }

  send(method: string, path: string, body?: unknown, options: RestOptions = {}): Promise<RestReply> {
    const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const headers = {
      ...this.#headers,
      ...(bytes !== undefined && { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
      ...options.headers,
    }
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${this.#url}${path}`,
        { method, agent: this.#agent, headers, ...(options.signal && { signal: options.signal }) },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk
          })
          response.on('error', reject)
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: jsonOf(text) }),
          )
        },
      )
      outgoing.on('error', reject)
      outgoing.end(bytes)
    })
  }

  /** Sends a request that has to succeed, and returns its JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: replies of all shapes are compared in tests.
  async ok(method: string, path: string, body?: unknown): Promise<any> {
    const reply = await this.send(method, path, body)
    if (reply.status >= 300) throw new Error(`${method} ${path} was answered ${reply.status}: ${reply.text}`)
    return reply.body
  }

  async status(method: string, path: string, body?: unknown, options?: RestOptions): Promise<number> {
    return (await this.send(method, path, body, options)).status
  }

  /** Opens a stream of server-sent events and calls back with each. Resolves when it is open. */
  stream(path: string, onEvent: (event: string, data: unknown) => void): Promise<{ status: number; close(): void }> {
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.#url}${path}`, { agent: this.#agent, headers: this.#headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            const lines = text.slice(0, end).split('\n')
            text = text.slice(end + 2)
            const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
            const [event, data] = [field('event'), field('data')]
            if (event !== undefined && data !== undefined) onEvent(event, JSON.parse(data))
          }
        })
        response.on('error', () => undefined)
        resolve({ status: response.statusCode ?? 0, close: () => outgoing.destroy() })
      })
      outgoing.on('error', reject)
      outgoing.end()
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
