import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { badRequest, failure, methodNotAllowed } from '@orrery/kinds/values'
import type { MessageSocket } from '@orrery/kube/transport'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Exchange, ReplyHeaders } from './exchange.js'
import type { HeldAnswer } from './held-answers.js'
import { offeredProtocols } from './subprotocols.js'
import { UnreadBytes } from './unread-bytes.js'

export interface WebSocketOptions {
  /**
   * The accepted subprotocols; the first one that the client offers is selected. An empty string accepts a client that
   * offers none. `any` echoes the first offer, as kube-apiserver does for watches.
   */
  readonly protocols: readonly string[] | 'any'
  /** A longer message closes the connection with code 1009. */
  readonly maxMessageBytes: number
}

/** An open WebSocket. */
export interface WebSocketStream extends MessageSocket {
  /** Closes the connection immediately. */
  destroy(): void
}

/** An upgrade request and its connection, as the HTTP server of Node.js provides them. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/** Determines the response to a WebSocket request. Throws a 4xx while the client can still get it. */
export function checkHandshake(exchange: Pick<Exchange, 'method' | 'headers'>, options: WebSocketOptions): string {
  const { method, headers } = exchange
  if (method !== 'GET') throw methodNotAllowed({ group: '', resource: 'websocket' }, method.toLowerCase())
  if (!KEY.test(String(headers['sec-websocket-key']))) throw badRequest('mismatch challenge/response')
  if (headers['sec-websocket-version'] !== '13') throw badRequest('missing or bad WebSocket Version')
  const offered = offeredProtocols(exchange)
  if (!offered.every((one) => PRINTABLE.test(one))) throw badRequest('invalid Sec-WebSocket-Protocol header')
  const { protocols } = options
  if (protocols === 'any') return offered[0] ?? ''
  const chosen = (offered.length === 0 ? [''] : offered).find((one) => protocols.includes(one))
  if (chosen !== undefined) return chosen
  const why = `requested protocol(s) are not supported: [${offered.join(' ')}]; supports [${protocols.join(' ')}]`
  throw failure(403, 'Forbidden', why)
}

/** The characters of a subprotocol, since the selected one is sent back. */
const PRINTABLE = /^[!-~]+$/
/** Sixteen bytes in base64, which `ws` requires too. */
const KEY = /^[+/0-9A-Za-z]{22}==$/

/** Answers `101 Switching Protocols` after the handshake was checked. */
export function openWebSocket(
  { request, socket, head }: Upgrade,
  protocol: string,
  extraHeaders: ReplyHeaders,
  { maxMessageBytes }: WebSocketOptions,
  hold: (bytes: number) => HeldAnswer,
): WebSocketStream {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    autoPong: false,
    maxPayload: maxMessageBytes,
  })
  // `ws` accepts only tokens, but kubectl offers `SPDY/3.1+portforward.k8s.io`, so the subprotocol is selected here.
  request.headers['sec-websocket-protocol'] = undefined
  server.on('headers', (lines) => {
    if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`)
    for (const name in extraHeaders)
      for (const value of [extraHeaders[name] ?? []].flat()) lines.push(`${name}: ${value}`)
  })
  let opened: WebSocket | undefined
  server.handleUpgrade(request, socket, head, (webSocket) => {
    opened = webSocket
  })
  if (opened === undefined) throw badRequest('the client closed the connection before the WebSocket was open')
  return new OpenWebSocket(opened, socket, protocol, new UnreadBytes(socket, hold))
}

class OpenWebSocket implements WebSocketStream {
  readonly protocol: string
  readonly #webSocket: WebSocket
  readonly #socket: Duplex
  readonly #unread: UnreadBytes

  constructor(webSocket: WebSocket, socket: Duplex, protocol: string, unread: UnreadBytes) {
    this.#webSocket = webSocket
    this.#socket = socket
    this.#unread = unread
    this.protocol = protocol
    // The close code, which `ws` sends itself, reports invalid frames of the client.
    webSocket.on('error', () => undefined)
    // A client that sends pings and does not read must not fill the memory with pongs.
    webSocket.on('ping', (data) => {
      if (!socket.writableNeedDrain) webSocket.pong(data, false, ignore)
    })
  }

  send(data: Buffer, frame: 'text' | 'binary'): boolean {
    this.#webSocket.send(data, { binary: frame === 'binary' }, ignore)
    if (!this.#socket.writableNeedDrain) return true
    this.#unread.add(data)
    return false
  }

  onMessage(callback: (data: Buffer, frame: 'text' | 'binary') => void): void {
    this.#webSocket.on('message', (data, isBinary) => callback(wholeOf(data), isBinary ? 'binary' : 'text'))
  }

  onDrain(callback: () => void): void {
    this.#socket.on('drain', callback)
  }

  onClose(callback: (code: number, reason: string) => void): void {
    const { readyState, CLOSED } = this.#webSocket
    if (readyState === CLOSED) callback(NO_CLOSE_FRAME, '')
    else this.#webSocket.once('close', (code, reason) => callback(code, reason.toString('utf8')))
  }

  pause(): void {
    this.#webSocket.pause()
  }

  resume(): void {
    this.#webSocket.resume()
  }

  close(code = NORMAL, reason = ''): void {
    this.#webSocket.close(code, reason)
  }

  destroy(): void {
    this.#webSocket.terminate()
  }
}

/** RFC 6455, section 7.4.1. */
const NORMAL = 1000
const NO_CLOSE_FRAME = 1006

/** With a callback `ws` does not throw if the client is gone; `onClose` reports that. */
const ignore = () => undefined

function wholeOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}
