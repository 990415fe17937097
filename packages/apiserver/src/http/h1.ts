import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { badRequest } from '@orrery/kinds/values'
import type { Identity } from '../identity/identity.js'
import type { WatchSink } from '../watch/types.js'
import { LINGER_MS, readBody } from './body.js'
import { writeChunk } from './chunked.js'
import type { Client } from './client.js'
import { drained } from './drained.js'
import { type Exchange, type ReplyHeaders, slabs, totalLength } from './exchange.js'
import type { HeldAnswer } from './held-answers.js'
import type { HeldRequest } from './held-requests.js'
import { certificateOf } from './peer.js'
import { readUnseated, type Seats } from './seats.js'
import { isWebSocketRequest } from './subprotocols.js'
import { UnreadBytes } from './unread-bytes.js'
import {
  checkHandshake,
  openWebSocket,
  type Upgrade,
  type WebSocketOptions,
  type WebSocketStream,
} from './websocket.js'

/** A request over HTTP/1.1. */
export class Http1Exchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly identity: Identity | undefined = undefined
  readonly extraHeaders: ReplyHeaders = {}
  status = 0
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #client: Client
  readonly #held: HeldRequest
  readonly #upgrade: Upgrade | undefined
  #seats: Seats | undefined

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    client: Client,
    held: HeldRequest,
    upgrade?: Upgrade,
  ) {
    this.#request = request
    this.#response = response
    this.#client = client
    this.#held = held
    this.#upgrade = upgrade
    this.method = request.method ?? 'GET'
    this.url = request.url ?? '/'
  }

  get headers(): IncomingMessage['headers'] {
    return this.#request.headers
  }

  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? ''
  }

  get certificate(): X509Certificate | undefined {
    return certificateOf(this.#request.socket)
  }

  authenticated(username: string): void {
    this.#client.authenticated(username)
    this.#held.authenticated()
  }

  seated(seats: Seats): void {
    this.#seats = seats
  }

  body(limit: number): Promise<Buffer> {
    const { headers } = this.#request
    if (this.#upgrade === undefined) {
      const length = headers['content-length']
      if (this.#seats === undefined) return readBody(this.#request, length, limit)
      return readUnseated(this, this.#request, length, limit, this.#seats, this.#hold(0))
    }
    // Node.js does not parse the body of an upgrade request.
    if (headers['transfer-encoding'] === undefined && !Number(headers['content-length'])) {
      return Promise.resolve(Buffer.alloc(0))
    }
    return Promise.reject(badRequest('a request to change the protocol cannot have a body'))
  }

  reply(status: number, headers: ReplyHeaders, body: Buffer): void {
    this.#start(status, headers, body.length)
    this.#response.end(this.method === 'HEAD' ? undefined : body)
    if (this.#response.writableLength > 0) {
      const held = this.#hold(body.length)
      whenClosed(this.#response, () => held.release())
    }
    const { complete, destroyed } = this.#request
    if (!complete && !destroyed && this.#upgrade === undefined) cutLater(this.#request)
  }

  async replyChunks(status: number, headers: ReplyHeaders, chunks: readonly Buffer[]): Promise<void> {
    const length = totalLength(chunks)
    this.#start(status, headers, length)
    let held: HeldAnswer | undefined
    for (const slab of this.method === 'HEAD' ? [] : slabs(chunks)) {
      if (!this.#response.write(slab)) {
        this.#seats?.leave()
        held ??= this.#hold(length)
        await drained(this.#response)
        held.progressed()
      }
      if (this.#response.destroyed) break
    }
    held?.release()
    if (!this.#response.destroyed) this.#response.end()
  }

  stream(status: number, headers: ReplyHeaders): WatchSink {
    this.#start(status, headers, undefined)
    this.#response.flushHeaders()
    return new ChunkedSink(this.#response, (bytes) => this.#hold(bytes))
  }

  webSocket(options: WebSocketOptions): WebSocketStream | undefined {
    if (this.#upgrade === undefined || !isWebSocketRequest(this)) return undefined
    const protocol = checkHandshake(this, options)
    this.status = 101
    return openWebSocket(this.#upgrade, protocol, this.extraHeaders, options, (bytes) => this.#hold(bytes))
  }

  onClose(callback: () => void): void {
    whenClosed(this.#response, callback)
  }

  destroy(): void {
    this.#response.destroy()
  }

  #hold(bytes: number): HeldAnswer {
    return this.#client.hold(bytes, () => this.#request.socket.destroy())
  }

  #start(status: number, headers: ReplyHeaders, length: number | undefined): void {
    this.status = status
    // Node.js writes a flat list of names and values fastest.
    const all: (string | number | readonly string[])[] = []
    for (const name in this.extraHeaders) all.push(name, this.extraHeaders[name] as string)
    for (const name in headers) all.push(name, headers[name] as string)
    if (length !== undefined && status !== 304) all.push('Content-Length', length)
    this.#response.writeHead(status, all as string[])
  }
}

/**
 * Node.js reads and discards the rest of an unread body, so that the client sees the response. This limits the time.
 */
function cutLater(request: IncomingMessage): void {
  const cut = setTimeout(() => request.socket.destroy(), LINGER_MS)
  request.once('close', () => clearTimeout(cut))
}

function whenClosed(response: ServerResponse, callback: () => void): void {
  if (response.closed) callback()
  else response.once('close', callback)
}

/**
 * A chunked response. Frames are written directly to the socket: `ServerResponse.write` would write a header and a
 * trailer for each watcher and event.
 */
class ChunkedSink implements WatchSink {
  readonly #response: ServerResponse
  readonly #unread: UnreadBytes

  constructor(response: ServerResponse, hold: (bytes: number) => HeldAnswer) {
    this.#response = response
    this.#unread = new UnreadBytes(response.socket ?? response, hold)
  }

  write(chunk: Buffer): boolean {
    const response = this.#response
    if (response.socket === null || response.destroyed) return response.destroyed || response.write(chunk)
    if (writeChunk(response.socket, chunk)) return true
    this.#unread.add(chunk)
    return false
  }

  onDrain(callback: () => void): void {
    // The response releases its socket before it closes, and the socket may serve more requests.
    const carrier = this.#response.socket ?? this.#response
    carrier.on('drain', callback)
    this.#response.once('close', () => carrier.off('drain', callback))
  }

  onClose(callback: () => void): void {
    whenClosed(this.#response, callback)
  }

  end(): void {
    this.#response.end()
  }

  destroy(): void {
    this.#response.destroy()
  }
}
