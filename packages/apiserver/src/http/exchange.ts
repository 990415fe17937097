import type { X509Certificate } from 'node:crypto'
import type { Identity } from '../identity/identity.js'
import type { WatchSink } from '../watch/types.js'
import type { Seats } from './seats.js'
import type { WebSocketOptions, WebSocketStream } from './websocket.js'

export type ReplyHeaders = Record<string, string | readonly string[]>

/**
 * One request and its reply, whatever carries it: HTTP/1.1, HTTP/2 or a call inside the process.
 * Exactly one of `reply`, `replyChunks`, `stream` and `webSocket` is called.
 */
export interface Exchange {
  readonly method: string
  /** Path and query, as sent. */
  readonly url: string
  /** Lower-case names. Repeated headers are arrays only for those in `multiHeaders`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly remoteAddress: string
  /** The client certificate of the connection, not yet verified. */
  readonly certificate: X509Certificate | undefined
  /** Set when the caller is inside the process and need not prove who it is. */
  readonly identity: Identity | undefined
  /** Headers the reply carries beside its own: warnings, audit id. */
  readonly extraHeaders: ReplyHeaders
  /** The status that was sent; 0 before. */
  readonly status: number
  /** Called when the caller has proven who it is: its connection and the answers it does not read are accounted to it. */
  authenticated?(username: string): void
  /** Called when the request has taken seats. A carrier that waits for its client gives them to others meanwhile. */
  seated?(seats: Seats): void
  /** Reads the whole body; at once when it is there. Throws a 413 `StatusError` beyond `limit` bytes. */
  body(limit: number): Buffer | Promise<Buffer>
  reply(status: number, headers: ReplyHeaders, body: Buffer): void
  /** Sends pieces one after the other without joining them first, as fast as the client reads. */
  replyChunks(status: number, headers: ReplyHeaders, chunks: readonly Buffer[]): Promise<void>
  /** Starts a reply of unknown length, such as a watch. */
  stream(status: number, headers: ReplyHeaders): WatchSink
  /**
   * Answers 101 and continues as a WebSocket. Undefined when this request does not ask for one or its carrier has none
   * (HTTP/2, calls inside the process): it is answered like any other. Throws a 4xx for a handshake that does not hold.
   */
  webSocket(options: WebSocketOptions): WebSocketStream | undefined
  /** Calls back when the exchange is over, at once if it is already. */
  onClose(callback: () => void): void
  /** Cuts the exchange off without an answer, or in the middle of one. */
  destroy(): void
}

/** The one value of a header, or undefined. */
export function header(exchange: Pick<Exchange, 'headers'>, name: string): string | undefined {
  const value = exchange.headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** Pieces are joined up to this size before they are handed to the socket. */
export const SLAB_BYTES = 256 * 1024

/** Joins pieces into slabs so that a long list costs few writes and never one huge buffer. */
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
