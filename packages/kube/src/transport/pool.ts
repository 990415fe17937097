import type { Socket } from 'node:net'
import type { HttpResponse } from '../client/transport.js'
import type { Clock } from '../clock.js'
import { Connection, type ConnectionEvents, type Outgoing } from './connection.js'
import { abortError, ConnectionError } from './connection-error.js'

export interface PoolOptions {
  readonly clock: Clock
  /** Opens a connection to the server. */
  readonly dial: (signal: AbortSignal, label: string) => Promise<Socket>
  /** The limit of concurrent requests; the others wait. */
  readonly maxRequests: number
  /** The limit of idle connections, and how long they are kept in milliseconds. */
  readonly maxIdle: number
  readonly idleTimeout: number
}

/** Methods that may be sent again if it is unknown whether the server received the first (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

interface Turn {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** The connections to one server with one identity. */
export class Pool implements ConnectionEvents {
  readonly #options: PoolOptions
  readonly #all = new Set<Connection>()
  /** The one used last comes last, and is used first: the others may expire. */
  readonly #idle: Connection[] = []
  readonly #turns = new Set<Turn>()
  readonly #dialing = new Set<AbortController>()
  #underWay = 0
  #cancelSweep: (() => void) | undefined
  #state: 'open' | 'retired' | 'closed' = 'open'

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** The number of connections. */
  get size(): number {
    return this.#all.size
  }

  /** Sends a request, over an idle connection if possible. */
  async request(outgoing: Outgoing): Promise<HttpResponse> {
    if (outgoing.isLong) return this.#send(outgoing)
    if (this.#underWay < this.#options.maxRequests) this.#underWay++
    else await this.#turn(outgoing.signal)
    try {
      return await this.#send(outgoing)
    } catch (error) {
      this.#passTurn()
      throw error
    }
  }

  /** Finishes active requests and keeps no connection. */
  retire(): void {
    if (this.#state === 'open') this.#state = 'retired'
    for (const connection of [...this.#all]) connection.retire()
  }

  /** Aborts active requests. */
  close(): void {
    this.#state = 'closed'
    this.#cancelSweep?.()
    for (const dialing of this.#dialing) dialing.abort(closedError())
    for (const turn of [...this.#turns]) turn.reject(closedError())
    for (const connection of [...this.#all]) connection.destroy(closedError())
  }

  onDone(outgoing: Outgoing): void {
    if (!outgoing.isLong) this.#passTurn()
  }

  onIdle(connection: Connection): void {
    this.#idle.push(connection)
    if (this.#idle.length > this.#options.maxIdle) this.#idle.shift()?.retire()
    this.#cancelSweep ??= this.#options.clock.after(this.#options.idleTimeout, () => this.#sweep())
  }

  onClose(connection: Connection): void {
    this.#all.delete(connection)
    const index = this.#idle.lastIndexOf(connection)
    if (index >= 0) this.#idle.splice(index, 1)
  }

  async #send(outgoing: Outgoing): Promise<HttpResponse> {
    outgoing.signal?.throwIfAborted()
    const kept = this.#takeIdle()
    if (kept === undefined) return this.#sendFresh(outgoing)
    try {
      return await kept.send(outgoing)
    } catch (error) {
      // The server may have closed the connection while the request was sent.
      const isStale = error instanceof ConnectionError && !error.answered && error.code !== 'ETIMEDOUT'
      if (!isStale || this.#state === 'closed' || (error.sent && !SAFE.has(outgoing.method))) throw error
      return this.#sendFresh(outgoing)
    }
  }

  async #sendFresh(outgoing: Outgoing): Promise<HttpResponse> {
    const { signal, label } = outgoing
    const socket = await this.#dial(signal, label)
    if (this.#state === 'closed') {
      socket.destroy()
      throw closedError()
    }
    const connection = new Connection(socket, this.#options.clock, this)
    this.#all.add(connection)
    const response = connection.send(outgoing)
    // A request keeps the identity that it started with.
    if (this.#state === 'retired') connection.retire()
    return response
  }

  async #dial(signal: AbortSignal | undefined, label: string): Promise<Socket> {
    if (this.#state === 'closed') throw closedError()
    const dialing = new AbortController()
    const aborted = () => dialing.abort(signal?.reason)
    signal?.addEventListener('abort', aborted)
    this.#dialing.add(dialing)
    try {
      return await this.#options.dial(dialing.signal, label)
    } finally {
      this.#dialing.delete(dialing)
      signal?.removeEventListener('abort', aborted)
    }
  }

  #takeIdle(): Connection | undefined {
    const { clock, idleTimeout } = this.#options
    for (;;) {
      const connection = this.#idle.pop()
      if (connection === undefined) return undefined
      // Negative if the system time was set back: then the age of the connection is unknown.
      const idleFor = Math.abs(clock.now().getTime() - connection.idleSince)
      if (connection.alive && idleFor < Math.min(idleTimeout, connection.keptFor)) return connection
      connection.retire()
    }
  }

  #sweep(): void {
    const { clock, idleTimeout } = this.#options
    const now = clock.now().getTime()
    for (const connection of [...this.#idle]) {
      if (Math.abs(now - connection.idleSince) >= idleTimeout) connection.retire()
    }
    const oldest = this.#idle.find(({ alive }) => alive)
    const rest = oldest === undefined ? undefined : oldest.idleSince + idleTimeout - now
    this.#cancelSweep = rest === undefined ? undefined : clock.after(rest, () => this.#sweep())
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const give = (way: () => void) => () => {
        signal?.removeEventListener('abort', aborted)
        this.#turns.delete(turn)
        way()
      }
      const aborted = give(() => reject(abortError(signal)))
      const turn: Turn = { resolve: give(resolve), reject: (error) => give(() => reject(error))() }
      signal?.addEventListener('abort', aborted)
      this.#turns.add(turn)
      if (signal?.aborted === true) aborted()
    })
  }

  #passTurn(): void {
    const [next] = this.#turns
    if (next === undefined) this.#underWay--
    else next.resolve()
  }
}

function closedError(): ConnectionError {
  return new ConnectionError('the client was closed', { code: 'ECLOSED', sent: true })
}
