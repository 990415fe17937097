import { Agent, request } from 'node:https'

/** The credentials of a client. */
export interface Shown {
  readonly certificate?: { readonly cert: string | Buffer; readonly key: string | Buffer }
  readonly token?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
}

export interface Reply {
  readonly status: number
  readonly text: string
  /** The object or Status in the body; empty if it is neither. */
  readonly object: Readonly<Record<string, unknown>> & { readonly message?: string; readonly reason?: string }
}

const PATCH_TYPES: Readonly<Record<string, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

/** A client that sends requests over TLS. */
export class Caller {
  readonly #url: string
  readonly #shown: Shown
  readonly #agent: Agent

  constructor(url: string, ca: Buffer, shown: Shown) {
    this.#url = url
    this.#shown = shown
    this.#agent = new Agent({ ca, ...shown.certificate, keepAlive: true })
  }

  /** The method may be `PATCH merge`, `PATCH json`, `PATCH strategic` or `PATCH apply`. */
  send(method: string, path: string, body?: unknown, headers: Shown['headers'] = {}): Promise<Reply> {
    const [verb = '', patch] = method.split(' ')
    const type = patch === undefined ? 'application/json' : (PATCH_TYPES[patch] ?? patch)
    const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const all = {
      ...this.#shown.headers,
      ...(this.#shown.token !== undefined && { authorization: `Bearer ${this.#shown.token}` }),
      ...(bytes !== undefined && { 'content-type': type, 'content-length': bytes.length }),
      ...headers,
    }
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${this.#url}${path}`,
        { method: verb, agent: this.#agent, headers: all },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk
            // A watch has no end: the first bytes are enough.
            if (path.includes('watch=')) response.destroy()
          })
          response.on('close', () => resolve({ status: response.statusCode ?? 0, text, object: parsed(text) }))
        },
      )
      outgoing.on('error', reject)
      outgoing.end(bytes)
    })
  }

  /** The status code alone. */
  async status(method: string, path: string, body?: unknown, headers?: Shown['headers']): Promise<number> {
    return (await this.send(method, path, body, headers)).status
  }

  close(): void {
    this.#agent.destroy()
  }
}

function parsed(text: string): Reply['object'] {
  try {
    return JSON.parse(text) as Reply['object']
  } catch {
    return {}
  }
}
