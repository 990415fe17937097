import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { Agent, request as request1 } from 'node:https'
import type { Shown } from './caller.js'
import type { PathRequest } from './path-requests.js'

export interface Sent {
  readonly status: number
  readonly text: string
}

/** Sends requests over one kind of connection with one identity's credentials. */
export class TlsSender {
  readonly protocol: string
  readonly #headers: Record<string, string>
  readonly #agent: Agent
  readonly #session: ClientHttp2Session | undefined
  readonly #url: string

  private constructor(url: string, protocol: string, shown: Shown, tls: object) {
    this.#url = url
    this.protocol = protocol
    const { token, headers = {} } = shown
    this.#headers = {
      ...(headers as Record<string, string>),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    this.#agent = new Agent({ ...tls, keepAlive: true, maxSockets: 4 })
    this.#session = protocol === 'h2' ? connect(url, tls) : undefined
  }

  static async open(
    server: { url: string; certificateAuthority: string },
    shown: Shown,
    protocol: string,
  ): Promise<TlsSender> {
    const sender = new TlsSender(server.url, protocol, shown, { ca: server.certificateAuthority, ...shown.certificate })
    const session = sender.#session
    if (session !== undefined)
      await new Promise<void>((resolve, reject) => session.once('connect', () => resolve()).once('error', reject))
    return sender
  }

  send(request: PathRequest): Promise<Sent> {
    return this.#session === undefined ? this.#send1(request) : this.#send2(this.#session, request)
  }

  close(): void {
    this.#agent.destroy()
    this.#session?.close()
  }

  #send1({ method, path, contentType, body, asked }: PathRequest): Promise<Sent> {
    const headers = { ...this.#headers, ...bodyHeaders(contentType, body) }
    return new Promise((resolve, reject) => {
      const outgoing = request1(`${this.#url}${path}`, { method, agent: this.#agent, headers }, (response) => {
        const status = response.statusCode ?? 0
        let text = ''
        if (status === 200 && asked.verb === 'watch') {
          resolve({ status, text })
          return void response.destroy()
        }
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => resolve({ status, text }))
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }

  #send2(session: ClientHttp2Session, { method, path, contentType, body, asked }: PathRequest): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const stream = session.request({
        ':method': method,
        ':path': path,
        ...this.#headers,
        ...bodyHeaders(contentType, body),
      })
      let status = 0
      let text = ''
      stream.setEncoding('utf8').on('response', (headers) => {
        status = headers[':status'] ?? 0
        if (status !== 200 || asked.verb !== 'watch') return
        resolve({ status, text })
        stream.close(constants.NGHTTP2_CANCEL)
      })
      stream.on('data', (chunk: string) => {
        text += chunk
      })
      stream.on('error', reject)
      stream.on('end', () => resolve({ status, text }))
      stream.end(body)
    })
  }
}

function bodyHeaders(contentType: string, body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)) }
}
