import type { X509Certificate } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { tooLarge } from '@orrery/kinds/values'
import type { Identity } from '../identity/identity.js'
import type { WatchSink } from '../watch/types.js'
import { LAST_CHUNK, writeChunk } from './chunked.js'
import type { Client } from './client.js'
import { drained } from './drained.js'
import { type Exchange, type ReplyHeaders, slabs, totalLength } from './exchange.js'
import { type FastPathHead, FastPathHeadReader } from './fast-path-head.js'
import type { HeldAnswer } from './held-answers.js'
import type { KeptConnection } from './keep-alive.js'
import { certificateOf } from './peer.js'
import type { Seats } from './seats.js'
import { UnreadBytes } from './unread-bytes.js'

export interface FastPathOptions {
  readonly handle: (exchange: Exchange) => void
  /** Takes over the connection, with all unserved bytes put back. */
  readonly handOver: (connection: FastPathConnection) => void
  /** The time limit for the first request. */
  readonly firstRequestMilliseconds: number
}

/**
 * An HTTP/1.1 connection that serves ordinary requests without the HTTP server of Node.js, at half its cost. Everything
 * else (a request in several chunks, chunked bodies, upgrades, anything unusual) is handed to the server of Node.js
 * with the rest of the connection, which has the only complete and hardened parser.
 */
export class FastPathConnection implements KeptConnection {
  readonly socket: TLSSocket
  readonly client: Client
  readonly certificate: X509Certificate | undefined
  readonly #options: FastPathOptions
  readonly #heads = new FastPathHeadReader()
  /** Bytes after the current request. */
  #unread: Buffer | undefined
  #exchange: OrdinaryExchange | undefined
  #isClosing = false
  #hasStarted = false
  #idleCalls = 0

  constructor(socket: TLSSocket, client: Client, options: FastPathOptions) {
    this.socket = socket
    this.client = client
    this.certificate = certificateOf(socket)
    this.#options = options
    socket.on('data', this.#read)
    socket.on('timeout', this.#silent)
    socket.on('close', this.#closed)
    socket.setTimeout(options.firstRequestMilliseconds)
  }

  /** Closes the connection, after the current response if there is one. */
  close(): void {
    this.#isClosing = true
    if (this.#exchange === undefined) this.socket.end()
  }

  closeIfIdle(calls: number): void {
    if (this.#exchange === undefined && ++this.#idleCalls > calls) this.socket.destroy()
  }

  /** Called when the response was written to the socket. The next request waits until the client has read it. */
  finished(): void {
    if (this.socket.writableNeedDrain && !this.socket.destroyed) this.socket.once('drain', this.#next)
    else this.#next()
  }

  readonly #next = (): void => {
    this.#exchange = undefined
    if (this.#isClosing) this.socket.end()
    else if (this.#unread !== undefined) setImmediate(() => this.#readOn())
  }

  readonly #read = (chunk: Buffer): void => {
    if (this.#exchange === undefined && this.#unread === undefined) {
      this.#serve(chunk)
      return
    }
    // Bytes of a client that does not wait for responses are not read before the response.
    this.socket.pause()
    this.#unread = this.#unread === undefined ? chunk : Buffer.concat([this.#unread, chunk])
  }

  #readOn(): void {
    const bytes = this.#unread
    if (bytes === undefined || this.socket.destroyed) return
    this.#unread = undefined
    this.socket.resume()
    this.#serve(bytes)
  }

  #serve(bytes: Buffer): void {
    const head = this.#heads.read(bytes)
    const end = head === undefined ? Number.POSITIVE_INFINITY : head.headLength + head.bodyLength
    if (head === undefined || end > bytes.length) {
      this.#handOver(bytes)
      return
    }
    if (end < bytes.length) this.#unread = bytes.subarray(end)
    if (!this.#hasStarted) this.#started()
    this.#idleCalls = 0
    this.#exchange = new OrdinaryExchange(this, head, bytes.subarray(head.headLength, end))
    this.#options.handle(this.#exchange)
  }

  /** The first request arrived. */
  #started(): void {
    this.#hasStarted = true
    this.client.arrived()
    this.socket.setTimeout(0)
  }

  #handOver(bytes: Buffer): void {
    const { socket } = this
    socket.off('data', this.#read)
    socket.off('timeout', this.#silent)
    socket.off('close', this.#closed)
    socket.setTimeout(0)
    socket.unshift(bytes)
    this.#options.handOver(this)
  }

  readonly #silent = (): void => {
    this.socket.destroy()
  }

  readonly #closed = (): void => {
    this.#exchange?.connectionClosed()
  }
}

/** A body up to this size is sent together with its head. */
const ONE_WRITE_BYTES = 16 * 1024

/** An ordinary request: it arrived completely, and its response is written directly to the socket. */
class OrdinaryExchange implements Exchange, WatchSink {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly identity: Identity | undefined = undefined
  readonly extraHeaders: ReplyHeaders = {}
  status = 0
  readonly #connection: FastPathConnection
  readonly #body: Buffer
  /** Most requests need none. */
  #unread: UnreadBytes | undefined
  #seats: Seats | undefined
  #onClose: (() => void)[] | undefined
  #onDrain: (() => void) | undefined
  #isOver = false

  constructor(connection: FastPathConnection, head: FastPathHead, body: Buffer) {
    this.#connection = connection
    this.method = head.method
    this.url = head.url
    this.headers = head.headers
    this.#body = body
  }

  get remoteAddress(): string {
    return this.#connection.socket.remoteAddress ?? ''
  }

  get certificate(): X509Certificate | undefined {
    return this.#connection.certificate
  }

  authenticated(username: string): void {
    this.#connection.client.authenticated(username)
  }

  seated(seats: Seats): void {
    this.#seats = seats
  }

  body(limit: number): Buffer {
    if (this.#body.length <= limit) return this.#body
    throw tooLarge(`Request entity too large: limit is ${limit}`)
  }

  reply(status: number, headers: ReplyHeaders, body: Buffer): void {
    if (this.#isOver) return
    const { socket } = this.#connection
    const head = this.#head(status, headers, `Content-Length: ${body.length}\r\n`)
    if (status === 304) socket.write(head, 'latin1')
    else if (body.length <= ONE_WRITE_BYTES) {
      const whole = Buffer.allocUnsafe(head.length + body.length)
      whole.write(head, 'latin1')
      body.copy(whole, head.length)
      socket.write(whole)
    } else {
      socket.cork()
      socket.write(head, 'latin1')
      const taken = socket.write(body)
      socket.uncork()
      if (!taken) this.#countUnread(body)
    }
    this.#over()
  }

  async replyChunks(status: number, headers: ReplyHeaders, chunks: readonly Buffer[]): Promise<void> {
    if (this.#isOver) return
    const { socket } = this.#connection
    const length = totalLength(chunks)
    socket.write(this.#head(status, headers, `Content-Length: ${length}\r\n`), 'latin1')
    let held: HeldAnswer | undefined
    for (const slab of slabs(chunks)) {
      if (!socket.write(slab)) {
        this.#seats?.leave()
        held ??= this.#hold(length)
        await drained(socket)
        held.progressed()
      }
      if (socket.destroyed) break
    }
    held?.release()
    if (!socket.destroyed) this.#over()
  }

  stream(status: number, headers: ReplyHeaders): WatchSink {
    if (!this.#isOver) {
      this.#connection.socket.write(this.#head(status, headers, 'Transfer-Encoding: chunked\r\n'), 'latin1')
    }
    return this
  }

  webSocket(): undefined {
    return undefined
  }

  onClose(callback: () => void): void {
    if (this.#isOver) {
      callback()
      return
    }
    this.#onClose ??= []
    this.#onClose.push(callback)
  }

  write(chunk: Buffer): boolean {
    if (this.#isOver || writeChunk(this.#connection.socket, chunk)) return true
    this.#countUnread(chunk)
    return false
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback
    this.#connection.socket.on('drain', callback)
  }

  end(): void {
    if (this.#isOver) return
    this.#connection.socket.write(LAST_CHUNK)
    this.#over()
  }

  destroy(): void {
    this.#connection.socket.destroy()
  }

  connectionClosed(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const callback of this.#onClose ?? []) callback()
  }

  #countUnread(chunk: Buffer): void {
    this.#unread ??= new UnreadBytes(this.#connection.socket, (count) => this.#hold(count))
    this.#unread.add(chunk)
  }

  #hold(bytes: number): HeldAnswer {
    return this.#connection.client.hold(bytes, () => this.#connection.socket.destroy())
  }

  #over(): void {
    if (this.#onDrain !== undefined) this.#connection.socket.off('drain', this.#onDrain)
    this.connectionClosed()
    this.#connection.finished()
  }

  #head(status: number, headers: ReplyHeaders, length: string): string {
    this.status = status
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
    for (const name in this.extraHeaders) head += headerLines(name, this.extraHeaders[name] as string)
    for (const name in headers) head += headerLines(name, headers[name] as string)
    return `${head}Date: ${dateText()}\r\n${status === 304 ? '' : length}\r\n`
  }
}

const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

function headerLines(name: string, value: string | readonly string[]): string {
  if (typeof value !== 'string') return value.map((one) => headerLines(name, one)).join('')
  if (UNSENDABLE.test(value)) throw new Error(`the header ${name} has characters that cannot be sent`)
  return `${name}: ${value}\r\n`
}

let dateSecond = 0
let date = ''

function dateText(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    date = new Date(second * 1000).toUTCString()
    dateSecond = second
  }
  return date
}
