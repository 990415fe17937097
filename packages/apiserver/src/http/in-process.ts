import type { X509Certificate } from 'node:crypto'
import { tooLarge } from '@orrery/kinds/values'
import type { HttpRequest, HttpResponse } from '@orrery/kube/client'
import type { Identity } from '../identity/identity.js'
import type { WatchSink } from '../watch/types.js'
import type { Exchange, ReplyHeaders } from './exchange.js'

/** The buffered bytes for a reader within the process before the writer must wait. */
const HIGH_WATER_BYTES = 64 * 1024

/** A request from within the process: the same handler chain without a socket. */
export class LocalExchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly remoteAddress = '127.0.0.1'
  readonly certificate: X509Certificate | undefined = undefined
  readonly identity: Identity | undefined
  readonly extraHeaders: ReplyHeaders = {}
  /** Resolves when the response starts. Rejects if the signal of the request is aborted before. */
  readonly response: Promise<HttpResponse>
  status = 0
  readonly #input: Buffer
  readonly #pipe = new Pipe()
  #settle!: (response: HttpResponse) => void
  #fail!: (reason: unknown) => void

  constructor(request: HttpRequest, identity: Identity | undefined) {
    this.method = request.method
    this.url = request.path
    this.headers = lowerCase(request.headers ?? {})
    this.identity = identity
    this.#input = typeof request.body === 'string' ? Buffer.from(request.body) : (request.body ?? Buffer.alloc(0))
    this.response = new Promise((resolve, reject) => {
      this.#settle = resolve
      this.#fail = reject
    })
    if (request.signal !== undefined) this.#endWith(request.signal)
  }

  body(limit: number): Promise<Buffer> {
    if (this.#input.length > limit) return Promise.reject(tooLarge(`Request entity too large: limit is ${limit}`))
    return Promise.resolve(this.#input)
  }

  reply(status: number, headers: ReplyHeaders, body: Buffer): void {
    if (body.length > 0 && this.method !== 'HEAD') this.#pipe.write(body)
    this.#pipe.end()
    this.#start(status, headers)
  }

  replyChunks(status: number, headers: ReplyHeaders, chunks: readonly Buffer[]): Promise<void> {
    if (this.method !== 'HEAD') for (const chunk of chunks) this.#pipe.write(chunk)
    this.#pipe.end()
    this.#start(status, headers)
    return Promise.resolve()
  }

  stream(status: number, headers: ReplyHeaders): WatchSink {
    this.#start(status, headers)
    return this.#pipe
  }

  webSocket(): undefined {
    return undefined
  }

  onClose(callback: () => void): void {
    this.#pipe.onClose(callback)
  }

  destroy(): void {
    this.#pipe.destroy()
    if (this.status === 0) this.#start(500, {})
  }

  /** A signal may live much longer than a request and must not keep it alive. */
  #endWith(signal: AbortSignal): void {
    const abort = () => {
      this.#pipe.abort(signal.reason)
      this.#fail(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    this.#pipe.onClose(() => signal.removeEventListener('abort', abort))
  }

  #start(status: number, headers: ReplyHeaders): void {
    this.status = status
    const pipe = this.#pipe
    const all = lowerCase({ ...this.extraHeaders, ...headers })
    this.#settle({ status, headers: all, body: pipe, bytes: () => pipe.all() })
  }
}

function lowerCase(
  headers: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string | readonly string[]> {
  const all: Record<string, string | readonly string[]> = {}
  for (const name of Object.keys(headers)) all[name.toLowerCase()] = headers[name] ?? ''
  return all
}

/** A bounded queue of buffers between the server and a reader in the same process. */
class Pipe implements WatchSink, AsyncIterable<Buffer> {
  readonly #queue: Buffer[] = []
  readonly #closeCallbacks: (() => void)[] = []
  #drainCallback: (() => void) | undefined
  #wake: (() => void) | undefined
  #queued = 0
  #full = false
  #ended = false
  #closed = false
  #aborted: { readonly reason: unknown } | undefined

  write(chunk: Buffer): boolean {
    if (this.#closed) return true
    this.#queue.push(chunk)
    this.#queued += chunk.length
    this.#wake?.()
    this.#full = this.#queued >= HIGH_WATER_BYTES
    return !this.#full
  }

  onDrain(callback: () => void): void {
    this.#drainCallback = callback
  }

  onClose(callback: () => void): void {
    if (this.#closed) callback()
    else this.#closeCallbacks.push(callback)
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  destroy(): void {
    this.#queue.length = 0
    this.#queued = 0
    this.#ended = true
    this.#wake?.()
    this.#close()
  }

  /** The reader gets the reason instead of the rest: a part must not look like the whole. */
  abort(reason: unknown): void {
    this.#aborted = { reason }
    this.destroy()
  }

  async all(): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of this) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      while (true) {
        if (this.#aborted !== undefined) throw this.#aborted.reason
        const chunk = this.#queue.shift()
        if (chunk !== undefined) {
          this.#queued -= chunk.length
          yield chunk
          if (this.#full && this.#queued < HIGH_WATER_BYTES) {
            this.#full = false
            this.#drainCallback?.()
          }
        } else if (this.#ended) return
        else await this.#arrival()
      }
    } finally {
      this.#close()
    }
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
    })
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const callback of this.#closeCallbacks.splice(0)) callback()
  }
}
