import type { X509Certificate } from 'node:crypto'
import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Identity } from '../identity/identity.js'
import type { WatchSink } from '../watch/types.js'
import { LINGER_MS, readBody } from './body.js'
import type { Client } from './client.js'
import { drained } from './drained.js'
import { type Exchange, type ReplyHeaders, slabs, totalLength } from './exchange.js'
import { resetSlowStream } from './h2-resets.js'
import type { HeldAnswer } from './held-answers.js'
import { HeldRequest } from './held-requests.js'
import { PIECE_BYTES, writeInPieces } from './paced-writes.js'
import { certificateOf } from './peer.js'
import { readUnseated, type Seats } from './seats.js'
import { UnreadBytes } from './unread-bytes.js'

/** The memory limit of the session covers responses below this size. */
const SMALL_BYTES = 4 * 1024

/** A request over an HTTP/2 stream. */
export class Http2Exchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly identity: Identity | undefined = undefined
  readonly extraHeaders: ReplyHeaders = {}
  status = 0
  readonly #carrier: ServerHttp2Stream
  readonly #socket: Socket
  readonly #client: Client
  readonly #held: HeldRequest
  #seats: Seats | undefined

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, socket: Socket, client: Client) {
    this.#carrier = stream
    this.#socket = socket
    this.#client = client
    this.headers = headers
    this.method = headers[':method'] ?? 'GET'
    this.url = headers[':path'] ?? '/'
    writeInPieces(stream, { copies: true })
    // Without a listener a reset by the client would be an uncaught error.
    stream.on('error', () => stream.destroy())
    const held = new HeldRequest(client, headBytes(headers), () => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM))
    stream.once('close', () => held.release())
    this.#held = held
  }

  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? ''
  }

  get certificate(): X509Certificate | undefined {
    return certificateOf(this.#socket)
  }

  authenticated(username: string): void {
    this.#client.authenticated(username)
    this.#held.authenticated()
  }

  seated(seats: Seats): void {
    this.#seats = seats
  }

  body(limit: number): Promise<Buffer> {
    const length = this.headers['content-length']
    if (this.#seats === undefined) return readBody(this.#carrier, length, limit)
    return readUnseated(this, this.#carrier, length, limit, this.#seats, this.#hold(0))
  }

  reply(status: number, headers: ReplyHeaders, body: Buffer): void {
    if (!this.#start(status, headers, body.length)) return
    if (body.length <= PIECE_BYTES) this.#carrier.end(body)
    else {
      this.#carrier.write(body)
      endAfterWrites(this.#carrier)
    }
    if (body.length < SMALL_BYTES) return
    const held = this.#hold(body.length)
    this.onClose(() => held.release())
  }

  async replyChunks(status: number, headers: ReplyHeaders, chunks: readonly Buffer[]): Promise<void> {
    const length = totalLength(chunks)
    if (!this.#start(status, headers, length)) return
    const held = this.#hold(length)
    for (const slab of slabs(chunks)) {
      if (!this.#carrier.write(slab)) {
        this.#seats?.leave()
        await drained(this.#carrier)
        held.progressed()
      }
      if (this.#carrier.destroyed) break
    }
    held.release()
    if (!this.#carrier.destroyed) endAfterWrites(this.#carrier)
  }

  stream(status: number, headers: ReplyHeaders): WatchSink {
    this.#start(status, headers, undefined)
    const carrier = this.#carrier
    const unread = new UnreadBytes(carrier, (bytes) => this.#hold(bytes))
    return {
      write(chunk) {
        if (carrier.destroyed || carrier.write(chunk)) return true
        unread.add(chunk)
        return false
      },
      onDrain: (callback) => carrier.on('drain', callback),
      onClose: (callback) => this.onClose(callback),
      end: () => endAfterWrites(carrier),
      destroy: () => resetSlowStream(carrier, constants.NGHTTP2_NO_ERROR, this.#client),
    }
  }

  webSocket(): undefined {
    return undefined
  }

  onClose(callback: () => void): void {
    if (this.#carrier.closed) callback()
    else this.#carrier.once('close', callback)
  }

  destroy(): void {
    this.#carrier.destroy()
  }

  #hold(bytes: number): HeldAnswer {
    const carrier = this.#carrier
    const client = this.#client
    return client.hold(bytes, () => resetSlowStream(carrier, constants.NGHTTP2_ENHANCE_YOUR_CALM, client))
  }

  /** Sends the headers. Returns false if no body may follow: for HEAD, 304, or a closed stream. */
  #start(status: number, headers: ReplyHeaders, length: number | undefined): boolean {
    this.status = status
    if (this.#carrier.destroyed || this.#carrier.headersSent) return false
    // An unread request body keeps the stream half open, and Node.js then resets it during the response.
    this.#carrier.resume()
    if (!this.#carrier.readableEnded) cutLater(this.#carrier)
    const all: OutgoingHttpHeaders = { ':status': status }
    for (const source of [this.extraHeaders, headers]) {
      for (const name of Object.keys(source)) all[name.toLowerCase()] = source[name] as string | string[]
    }
    const bodiless = status === 304 || this.method === 'HEAD'
    if (length !== undefined && status !== 304) all['content-length'] = length
    this.#carrier.respond(all, { endStream: bodiless })
    return !bodiless
  }
}

function headBytes(headers: IncomingHttpHeaders): number {
  let bytes = 0
  for (const name in headers) {
    const value = headers[name] ?? ''
    bytes += name.length
    // Reading a text that was joined from several headers would copy it.
    if (typeof value === 'string') bytes += value.length
    else for (const one of value) bytes += one.length
  }
  return bytes
}

const NOTHING = Buffer.alloc(0)

/** Node.js closes a stream that is ending after the first piece that it writes, so this ends it after the last. */
function endAfterWrites(stream: ServerHttp2Stream): void {
  if (stream.writableLength === 0) stream.end()
  else stream.write(NOTHING, () => stream.end())
}

/** Discards the rest of an unread body, with a time limit. */
function cutLater(stream: ServerHttp2Stream): void {
  const cut = setTimeout(() => {
    if (!stream.readableEnded) stream.close()
  }, LINGER_MS)
  stream.once('close', () => clearTimeout(cut))
}
