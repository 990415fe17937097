import type { HttpRequest, HttpResponse, Transport } from '../client/transport.js'
import { unlessAborted } from '../signals.js'
import type { Outgoing } from './connection.js'
import { ConnectionError, isTlsFailure } from './connection-error.js'
import { gunzipped } from './gunzip.js'
import { requestHead } from './request-head.js'
import type { Rotation } from './rotation.js'
import type { Session } from './session.js'

export interface Limits {
  /** The limit until a response starts, and between its chunks when all of it is awaited, in milliseconds. */
  readonly answerTimeout: number
  /** How long a watch with bookmarks may be without data, in milliseconds. */
  readonly watchSilence: number
}

/** Requests whose responses have no end. */
const LONG = /[?&](?:watch|follow)=(?:true|1)(?:&|$)/
const BOOKMARKS = /[?&]allowWatchBookmarks=(?:true|1)(?:&|$)/

/** Sends requests over the network, with the current credentials. */
export class NetTransport implements Transport {
  readonly #rotation: Rotation
  readonly #limits: Limits
  #closed = false

  constructor(rotation: Rotation, limits: Limits) {
    this.#rotation = rotation
    this.#limits = limits
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    const { signal } = request
    signal?.throwIfAborted()
    if (this.#closed) throw new ConnectionError('the client was closed', { code: 'ECLOSED', sent: false })
    const ready = this.#rotation.current()
    const session = ready instanceof Promise ? await unlessAborted(ready, signal) : ready
    let response: HttpResponse
    try {
      response = await this.#send(session, request)
    } catch (error) {
      // The server may have a new certificate, and the file of its authority may be new as well.
      if (!isTlsFailure(error)) throw error
      const renewed = await this.#renew(session, signal)
      if (renewed === session) throw error
      return this.#send(renewed, request)
    }
    if (response.status !== 401 || hasOwnAuthorization(request)) return response
    const renewed = await this.#renew(session, signal)
    if (renewed === session) return response
    // Read completely, so that the connection can be reused.
    await response.bytes()
    return this.#send(renewed, request)
  }

  close(): void {
    this.#closed = true
    this.#rotation.close()
  }

  /** Never fails if there are no new credentials: then the response to the old ones counts. */
  async #renew(session: Session, signal: AbortSignal | undefined): Promise<Session> {
    try {
      return await unlessAborted(this.#rotation.renew(session), signal)
    } catch {
      signal?.throwIfAborted()
      return session
    }
  }

  async #send({ standing, gzip, pool }: Session, request: HttpRequest): Promise<HttpResponse> {
    const { method, path, body, signal } = request
    const query = path.indexOf('?')
    const isLong = query >= 0 && LONG.test(path)
    const isBookmarked = isLong && BOOKMARKS.test(path)
    const outgoing: Outgoing = {
      method,
      head: requestHead(request, standing, gzip && !isLong),
      body,
      signal,
      isLong,
      label: `${method} ${query < 0 ? path : path.slice(0, query)}`,
      headTimeout: this.#limits.answerTimeout,
      silenceLimit: isBookmarked ? this.#limits.watchSilence : undefined,
    }
    const response = await pool.request(outgoing)
    return response.headers['content-encoding'] === 'gzip' ? gunzipped(response, outgoing.label) : response
  }
}

function hasOwnAuthorization({ headers = {} }: HttpRequest): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
