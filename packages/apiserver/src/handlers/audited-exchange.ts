import type { X509Certificate } from 'node:crypto'
import type { AuditRecord } from '../audit/auditor.js'
import type { Exchange, ReplyHeaders } from '../http/exchange.js'
import type { WebSocketOptions, WebSocketStream } from '../http/websocket.js'
import type { Identity } from '../identity/identity.js'
import { decodeBody } from '../request/decode.js'
import type { WatchSink } from '../watch/types.js'

/** Forwards a request and records it in the audit log. */
export class AuditedExchange implements Exchange {
  readonly #inner: Exchange
  readonly #record: AuditRecord
  #streams = false

  constructor(inner: Exchange, record: AuditRecord) {
    this.#inner = inner
    this.#record = record
  }

  get method(): string {
    return this.#inner.method
  }

  get url(): string {
    return this.#inner.url
  }

  get headers(): Exchange['headers'] {
    return this.#inner.headers
  }

  get remoteAddress(): string {
    return this.#inner.remoteAddress
  }

  get certificate(): X509Certificate | undefined {
    return this.#inner.certificate
  }

  get identity(): Identity | undefined {
    return this.#inner.identity
  }

  get extraHeaders(): ReplyHeaders {
    return this.#inner.extraHeaders
  }

  get status(): number {
    return this.#inner.status
  }

  /** Whether the response continues after the handler returned. */
  get streams(): boolean {
    return this.#streams
  }

  async body(limit: number): Promise<Buffer> {
    const bytes = await this.#inner.body(limit)
    if (this.#record.wantsRequestBody && bytes.length > 0) {
      const contentType = this.#inner.headers['content-type']
      this.#record.requestBody(readable(bytes, typeof contentType === 'string' ? contentType : undefined))
    }
    return bytes
  }

  reply(status: number, headers: ReplyHeaders, body: Buffer): void {
    this.#recordReply(body)
    this.#inner.reply(status, headers, body)
  }

  replyChunks(status: number, headers: ReplyHeaders, chunks: readonly Buffer[]): Promise<void> {
    if (this.#record.wantsResponseBody) this.#recordReply(Buffer.concat(chunks))
    return this.#inner.replyChunks(status, headers, chunks)
  }

  stream(status: number, headers: ReplyHeaders): WatchSink {
    this.#recordStream(status)
    return this.#inner.stream(status, headers)
  }

  webSocket(options: WebSocketOptions): WebSocketStream | undefined {
    const stream = this.#inner.webSocket(options)
    if (stream !== undefined) this.#recordStream(this.#inner.status)
    return stream
  }

  onClose(callback: () => void): void {
    this.#inner.onClose(callback)
  }

  destroy(): void {
    this.#inner.destroy()
  }

  #recordStream(status: number): void {
    this.#streams = true
    this.#record.responseStarted(status)
    this.#inner.onClose(() => this.#record.responseComplete(status))
  }

  #recordReply(body: Buffer): void {
    if (this.#record.wantsResponseBody && body.length > 0) this.#record.responseBody(readable(body, 'application/json'))
  }
}

/** Returns the object in a body; undefined if there is none, such as for a JSON patch. */
function readable(bytes: Buffer, contentType: string | undefined): unknown {
  try {
    return contentType?.includes('patch') ? JSON.parse(bytes.toString('utf8')) : decodeBody(bytes, contentType).value
  } catch {
    return undefined
  }
}
