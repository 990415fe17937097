import type { Socket } from 'node:net'
import type { HttpResponse } from '../client/transport.js'
import type { Clock } from '../clock.js'
import { type BodyDecoder, bodyDecoder } from './body-decoder.js'
import { BodyQueue, type BodySource } from './body-queue.js'
import { abortError, ConnectionError, explainSocket } from './connection-error.js'
import { MalformedResponse, parseResponseHead, type ResponseHead } from './response-head.js'

/** A request to send. */
export interface Outgoing {
  readonly method: string
  readonly head: string
  readonly body: Buffer | string | undefined
  readonly signal: AbortSignal | undefined
  /** Whether the response has no end, as that of a watch. */
  readonly isLong: boolean
  /** Method and path without the query, for errors. */
  readonly label: string
  /** How long the head of the response may take, in milliseconds. */
  readonly headTimeout: number
  /** How long the body may be without data, in milliseconds; undefined for no limit. */
  readonly silenceLimit: number | undefined
}

export interface ConnectionEvents {
  /** Called when a response that began has ended or failed. */
  onDone(outgoing: Outgoing): void
  /** Called when the response is complete and the next request may be sent. */
  onIdle(connection: Connection): void
  onClose(connection: Connection): void
}

const HEAD_END = '\r\n\r\n'
const MAX_HEAD = 256 * 1024
/** Bodies up to this size are sent together with their head. */
const SMALL_BODY = 16 * 1024
const KEEP_ALIVE_TIMEOUT = /timeout=(\d{1,6})/

/** A request in progress. */
interface Exchange {
  readonly outgoing: Outgoing
  readonly resolve: (response: HttpResponse) => void
  readonly reject: (error: Error) => void
  head: ResponseHead | undefined
  decoder: BodyDecoder | undefined
  body: BodyQueue | undefined
  cancelTimer: (() => void) | undefined
  /** Whether the pause is timed, and when it began. */
  timed: boolean
  lastByte: number
}

/** One socket that carries one request after the other (RFC 9112). */
export class Connection implements BodySource {
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #events: ConnectionEvents
  #exchange: Exchange | undefined
  /** A head whose end has not arrived yet. */
  #partialHead: Buffer | undefined
  #error: Error | undefined
  #ended = false
  #retired = false
  /** Whether it has been used before: the server may have closed it since. */
  used = false
  /**
   * When it became idle, by the system time, which continues while a machine sleeps, and how long the server keeps it
   * open if it announced that. In milliseconds.
   */
  idleSince = 0
  keptFor = Number.POSITIVE_INFINITY

  constructor(socket: Socket, clock: Clock, events: ConnectionEvents) {
    this.#socket = socket
    this.#clock = clock
    this.#events = events
    socket.on('data', (bytes: Buffer) => this.#received(bytes))
    socket.on('error', (error: Error) => {
      this.#error ??= error
    })
    socket.on('end', () => {
      this.#ended = true
    })
    socket.on('close', () => this.#closed())
    // The proxy handshake may have paused it.
    socket.resume()
  }

  get alive(): boolean {
    return !this.#retired && this.#socket.writable && !this.#socket.destroyed
  }

  /** Sends a request. Resolves when the head of the response has arrived. */
  send(outgoing: Outgoing): Promise<HttpResponse> {
    if (outgoing.signal?.aborted === true) {
      this.#socket.destroy()
      return Promise.reject(abortError(outgoing.signal))
    }
    return new Promise((resolve, reject) => {
      const exchange: Exchange = {
        outgoing,
        resolve,
        reject,
        head: undefined,
        decoder: undefined,
        body: undefined,
        cancelTimer: undefined,
        timed: false,
        lastByte: 0,
      }
      this.#exchange = exchange
      outgoing.signal?.addEventListener('abort', this.#aborted)
      const { headTimeout } = outgoing
      exchange.cancelTimer = this.#clock.after(headTimeout, () => this.#timedOut('no response', headTimeout))
      this.#socket.ref()
      this.#write(outgoing)
    })
  }

  /** Takes no further request; the current one is finished. */
  retire(): void {
    this.#retired = true
    if (this.#exchange === undefined) this.#socket.destroy()
  }

  destroy(error?: Error): void {
    this.#error ??= error
    this.#socket.destroy()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    const exchange = this.#exchange
    if (exchange?.timed === true) exchange.lastByte = this.#clock.elapsed()
    this.#socket.resume()
  }

  cancel(): void {
    const exchange = this.#exchange
    if (exchange !== undefined) this.#release(exchange)
    this.#socket.destroy()
  }

  expectAll(): void {
    const exchange = this.#exchange
    if (exchange === undefined || exchange.timed) return
    this.#limitSilence(exchange, exchange.outgoing.headTimeout)
  }

  readonly #aborted = (): void => {
    const error = abortError(this.#exchange?.outgoing.signal)
    // An aborted caller does not wait for the socket to close, nor for received data.
    this.#exchange?.body?.abort(error)
    this.#fail(error)
    this.#socket.destroy()
  }

  #write({ head, body }: Outgoing): void {
    const socket = this.#socket
    if (body === undefined || body.length === 0) socket.write(head)
    else if (typeof body === 'string' && body.length <= SMALL_BODY) socket.write(head + body)
    else {
      socket.cork()
      socket.write(head)
      socket.write(body)
      socket.uncork()
    }
  }

  #received(bytes: Buffer): void {
    let rest = bytes
    try {
      while (rest.length > 0) {
        const exchange = this.#exchange
        if (exchange === undefined) throw new MalformedResponse('the server sent an unexpected response')
        if (exchange.decoder === undefined) rest = this.#readHead(exchange, rest)
        else {
          if (exchange.timed) exchange.lastByte = this.#clock.elapsed()
          this.#readBody(exchange, rest)
          return
        }
      }
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  #readHead(exchange: Exchange, bytes: Buffer): Buffer {
    const all = this.#partialHead === undefined ? bytes : Buffer.concat([this.#partialHead, bytes])
    const end = all.indexOf(HEAD_END)
    if (end < 0 || end > MAX_HEAD) {
      if (all.length > MAX_HEAD) throw new MalformedResponse('the head of the response is too long')
      this.#partialHead = all
      return all.subarray(all.length)
    }
    this.#partialHead = undefined
    const head = parseResponseHead(all.toString('latin1', 0, end), exchange.outgoing.method)
    const rest = all.subarray(end + HEAD_END.length)
    // An interim response: the final one follows (RFC 9110, section 15.2).
    if (head.status < 200) {
      if (head.status === 101) throw new MalformedResponse('the server switched the protocol unexpectedly')
      return rest
    }
    this.#begin(exchange, head)
    this.#readBody(exchange, rest)
    return rest.subarray(rest.length)
  }

  #begin(exchange: Exchange, head: ResponseHead): void {
    exchange.cancelTimer?.()
    exchange.cancelTimer = undefined
    exchange.head = head
    exchange.decoder = bodyDecoder(head.framing)
    const body = new BodyQueue(this)
    exchange.body = body
    const { silenceLimit } = exchange.outgoing
    if (silenceLimit !== undefined) this.#limitSilence(exchange, silenceLimit)
    exchange.resolve({ status: head.status, headers: head.headers, body, bytes: () => body.bytes() })
  }

  #readBody(exchange: Exchange, bytes: Buffer): void {
    const { decoder, body } = exchange as { decoder: BodyDecoder; body: BodyQueue }
    const taken = decoder.write(bytes, (piece) => body.push(piece))
    if (!decoder.done || this.#exchange !== exchange) return
    this.#release(exchange)
    body.end()
    // Data after a response must not be taken for the next one. And a response may come before the request is sent
    // completely, for example when it is rejected for its size.
    const isClean = taken === bytes.length && this.#socket.writableLength === 0
    const { keepAlive, headers } = exchange.head as ResponseHead
    if (isClean && keepAlive && !this.#retired) this.#becomeIdle(headers)
    else this.#socket.destroy()
  }

  #becomeIdle(headers: ResponseHead['headers']): void {
    const hint = headers['keep-alive']
    const seconds = typeof hint === 'string' ? KEEP_ALIVE_TIMEOUT.exec(hint)?.[1] : undefined
    // The server may count from earlier, and the next request takes time to arrive.
    if (seconds !== undefined) this.keptFor = Number(seconds) * 1000 - 1000
    this.used = true
    this.idleSince = this.#clock.now().getTime()
    this.#socket.resume()
    // An idle connection does not keep the process running.
    this.#socket.unref()
    this.#events.onIdle(this)
  }

  #release(exchange: Exchange): void {
    exchange.cancelTimer?.()
    exchange.cancelTimer = undefined
    exchange.outgoing.signal?.removeEventListener('abort', this.#aborted)
    this.#exchange = undefined
    if (exchange.head !== undefined) this.#events.onDone(exchange.outgoing)
  }

  #closed(): void {
    const exchange = this.#exchange
    this.#events.onClose(this)
    if (exchange === undefined) return
    if (exchange.decoder?.endsWithConnection === true && this.#ended && this.#error === undefined) {
      this.#release(exchange)
      exchange.body?.end()
      return
    }
    this.#fail(this.#error ?? Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
  }

  #fail(cause: Error): void {
    const exchange = this.#exchange
    if (exchange === undefined) return
    this.#release(exchange)
    const { outgoing, body } = exchange
    const error = outgoing.signal?.aborted === true ? cause : this.#failure(cause, outgoing, body !== undefined)
    if (body === undefined) exchange.reject(error)
    else body.fail(error)
  }

  #failure(cause: Error, { label }: Outgoing, begun: boolean): ConnectionError {
    if (cause instanceof ConnectionError) return cause
    const { code, text } = explainSocket(cause)
    const answered = begun || this.#partialHead !== undefined
    // With TLS 1.3 the server rejects the client's certificate only now, without reading the request.
    const sent = !code.includes('_ALERT_')
    return new ConnectionError(`${label}: ${text}`, { code, sent, answered, cause })
  }

  #limitSilence(exchange: Exchange, limit: number): void {
    exchange.timed = true
    exchange.lastByte = this.#clock.elapsed()
    const check = () => {
      if (this.#exchange !== exchange) return
      const silent = this.#clock.elapsed() - exchange.lastByte
      if (exchange.body?.paused === true) exchange.cancelTimer = this.#clock.after(limit, check)
      else if (silent < limit) exchange.cancelTimer = this.#clock.after(limit - silent, check)
      else this.#timedOut('the response stopped', limit)
    }
    exchange.cancelTimer = this.#clock.after(limit, check)
  }

  #timedOut(what: string, milliseconds: number): void {
    const exchange = this.#exchange
    if (exchange === undefined) return
    const message = `${exchange.outgoing.label}: ${what} for ${milliseconds / 1000} s`
    this.destroy(new ConnectionError(message, { code: 'ETIMEDOUT', sent: true, answered: exchange.head !== undefined }))
  }
}
