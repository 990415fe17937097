import type { X509Certificate } from 'node:crypto'
import type { Identity } from '../identity/identity.js'
import type { WatchSink } from '../watch/types.js'
import type { Seats } from './seats.js'
import type { WebSocketOptions, WebSocketStream } from './websocket.js'

export type ReplyHeaders = Record<string, string | readonly string[]>

/**
 * One request and its response over any transport: HTTP/1.1, HTTP/2 or a call within the process. Exactly one of
 * `reply`, `replyChunks`, `stream` and `webSocket` is called.
 */
export interface Exchange {
  readonly method: string
  /** The path and query as sent. */
  readonly url: string
  /** Lower-case names. Repeated headers are arrays only for those in `multiHeaders`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly remoteAddress: string
  /** The client certificate of the connection, not yet verified. */
  readonly certificate: X509Certificate | undefined
  /** Set if the caller is within the process and need not authenticate. */
  readonly identity: Identity | undefined
  /** Additional headers of the response: warnings, audit ID. */
  readonly extraHeaders: ReplyHeaders
  /** The status that was sent; 0 before. */
  readonly status: number
  /** Called after authentication: the connection and its unread responses count for this user. */
  authenticated?(username: string): void
  /** Called when the request has seats. A transport that waits for its client releases them meanwhile. */
  seated?(seats: Seats): void
  /** Reads the whole body, synchronously if it has arrived. Throws a 413 `StatusError` beyond `limit` bytes. */
  body(limit: number): Buffer | Promise<Buffer>
  reply(status: number, headers: ReplyHeaders, body: Buffer): void
  /** Sends chunks without joining them, as fast as the client reads. */
  replyChunks(status: number, headers: ReplyHeaders, chunks: readonly Buffer[]): Promise<void>
  /** Starts a response of unknown length, such as a watch. */
  stream(status: number, headers: ReplyHeaders): WatchSink
  /**
   * Answers 101 and continues as a WebSocket. Returns undefined if the request does not ask for one or its transport
   * has none (HTTP/2, calls within the process): it is answered like any other. Throws a 4xx for an invalid handshake.
   */
  webSocket(options: WebSocketOptions): WebSocketStream | undefined
  /** Calls back when the exchange ends, immediately if it already has. */
  onClose(callback: () => void): void
  /** Aborts the exchange, even during the response. */
  destroy(): void
}

/** Returns the single value of a header, or undefined. */
export function header(exchange: Pick<Exchange, 'headers'>, name: string): string | undefined {
  const value = exchange.headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** Chunks are joined up to this size before they are written to the socket. */
const SLAB_BYTES = 256 * 1024

/** Joins chunks into slabs, so that a long list needs few writes and never one huge buffer. */
export function* slabs(chunks: readonly Buffer[]): Generator<Buffer> {
  let pending: Buffer[] = []
  let size = 0
  for (const chunk of chunks) {
    pending.push(chunk)
    size += chunk.length
    if (size >= SLAB_BYTES) {
      yield Buffer.concat(pending, size)
      pending = []
      size = 0
    }
  }
  if (size > 0) yield Buffer.concat(pending, size)
}

export function totalLength(chunks: readonly Buffer[]): number {
  let size = 0
  for (const chunk of chunks) size += chunk.length
  return size
}
