import { Agent, request } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { KubeObject } from '@orrery/kinds'
import type { ServerProcess } from './server.js'

/** What a client needs to reach a server. */
export type Target = Pick<ServerProcess, 'url' | 'credentials'>

export interface Reply {
  readonly status: number
  /** The object or Status in the body. */
  readonly object: KubeObject
}

/** The connection broke before the response was complete: the result of the request is unknown. */
export class ConnectionLost extends Error {
  constructor(cause: Error) {
    super(`the connection was lost: ${cause.message}`, { cause })
    this.name = 'ConnectionLost'
  }
}

/** An agent whose connections share one TLS context: reading the credentials takes longer than the handshake. */
export function tlsAgent({ credentials }: Target, maxSockets = Number.POSITIVE_INFINITY): Agent {
  return new Agent({ secureContext: createSecureContext(credentials), keepAlive: true, maxSockets })
}

const PATCH = /^PATCH (\w+)$/

/** A client of a server process, over TLS with persistent connections. */
export class Client {
  readonly #target: Target
  readonly #agent: Agent

  constructor(target: Target, connections = 16) {
    this.#target = target
    this.#agent = tlsAgent(target, connections)
  }

  /** Sends a request; the method may be `PATCH merge`, `PATCH json`, `PATCH strategic` or `PATCH apply`. */
  send(method: string, path: string, body?: unknown): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const lost = (error: Error) => reject(new ConnectionLost(error))
      const patch = PATCH.exec(method)?.[1]
      const type = patch === undefined ? 'application/json' : patchType(patch)
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
      const outgoing = request(
        new URL(path, this.#target.url),
        {
          method: patch === undefined ? method : 'PATCH',
          agent: this.#agent,
          // Node sends a DELETE's body without a length by default.
          headers: bytes === undefined ? {} : { 'content-type': type, 'content-length': bytes.length },
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', lost)
          response.on('end', () => {
            if (!response.complete) return lost(new Error('the reply was cut short'))
            const text = Buffer.concat(chunks).toString('utf8')
            resolve({ status: response.statusCode ?? 0, object: parse(text) })
          })
        },
      )
      outgoing.on('error', lost)
      outgoing.end(bytes)
    })
  }

  /** Sends a request that has to succeed. */
  async ok(method: string, path: string, body?: unknown): Promise<KubeObject> {
    const { status, object } = await this.send(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${JSON.stringify(object)}`)
    return object
  }

  async list(path: string): Promise<{ readonly revision: number; readonly items: KubeObject[] }> {
    const list = await this.ok('GET', path)
    return { revision: revisionOf(list), items: list.items as KubeObject[] }
  }

  close(): void {
    this.#agent.destroy()
  }
}

function patchType(name: string): string {
  if (name === 'apply') return 'application/apply-patch+yaml'
  return `application/${name === 'strategic' ? 'strategic-merge' : name}-patch+json`
}

function parse(text: string): KubeObject {
  return text.startsWith('{')
    ? (JSON.parse(text) as KubeObject)
    : { apiVersion: '', kind: 'Text', metadata: {}, message: text }
}

export function revisionOf(object: Pick<KubeObject, 'metadata'>): number {
  return Number(object.metadata.resourceVersion)
}
