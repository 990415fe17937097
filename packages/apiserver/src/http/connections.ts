import type { Socket } from 'node:net'
import { descriptorLimit } from './descriptors.js'

export interface ConnectionLimits {
  /** Open client connections. Defaults to three quarters of the file descriptors of the process. */
  readonly total: number
  /** Connections of unauthenticated clients. Defaults to an eighth of the descriptors, 10,000 at most. */
  readonly unauthenticated: number
  /** How long a client has to authenticate before its connection can be closed for a new one. Defaults to 3 seconds. */
  readonly graceMilliseconds: number
}

/** A client connection after it was accepted. */
export interface Connection {
  readonly socket: Socket
  /** The user of its requests; undefined until one of them has authenticated. */
  readonly username: string | undefined
}

class OpenConnection implements Connection {
  readonly socket: Socket
  readonly since = performance.now()
  username: string | undefined = undefined

  constructor(socket: Socket) {
    this.socket = socket
  }
}

/**
 * The client connections, which share the file descriptors of the process. Above the limit, one is closed for the new
 * one: unauthenticated clients must not be able to block authenticated ones. Clients that just started their handshake
 * may finish it, and the new connection is refused instead; otherwise a fleet that reconnects at once would disconnect
 * itself endlessly.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  /** Oldest first. */
  readonly #unauthenticated = new Set<OpenConnection>()
  /** By user name, oldest first. */
  readonly #authenticated = new Map<string, Set<OpenConnection>>()
  #size = 0

  constructor(limits: Partial<ConnectionLimits> = {}) {
    this.#limits = { ...defaultLimits(descriptorLimit()), ...limits }
  }

  get size(): number {
    return this.#size
  }

  get unauthenticated(): number {
    return this.#unauthenticated.size
  }

  /** Adds a connection. Returns undefined and closes the socket if there is no room for it. */
  open(socket: Socket): Connection | undefined {
    const { total, unauthenticated } = this.#limits
    if (this.#unauthenticated.size >= unauthenticated) this.#cut(this.#slowest())
    else if (this.#size >= total) this.#cut(this.#slowest() ?? this.#leastNeeded())
    if (this.#unauthenticated.size >= unauthenticated || this.#size >= total) {
      socket.destroy()
      return undefined
    }
    const connection = new OpenConnection(socket)
    this.#unauthenticated.add(connection)
    this.#size++
    socket.once('close', () => this.#forget(connection))
    return connection
  }

  /** Marks the connection as authenticated. */
  authenticated(connection: Connection, username: string): void {
    if (connection.username === username) return
    const known = connection as OpenConnection
    if (!this.#remove(known)) return
    known.username = username
    const others = this.#authenticated.get(username)
    if (others === undefined) this.#authenticated.set(username, new Set([known]))
    else others.add(known)
  }

  /**
   * Returns the oldest connection that has sent nothing; otherwise the oldest unauthenticated one whose grace period is
   * over.
   */
  #slowest(): OpenConnection | undefined {
    for (const connection of this.#unauthenticated) if (connection.socket.bytesRead === 0) return connection
    const first = oldest(this.#unauthenticated)
    const isSlow = first !== undefined && performance.now() - first.since >= this.#limits.graceMilliseconds
    return isSlow ? first : undefined
  }

  /** Returns the oldest connection of the user with the most, unless no user has more than one. */
  #leastNeeded(): OpenConnection | undefined {
    let most: Set<OpenConnection> | undefined
    for (const connections of this.#authenticated.values()) {
      if (connections.size > (most?.size ?? 1)) most = connections
    }
    return most && oldest(most)
  }

  #cut(connection: OpenConnection | undefined): void {
    if (connection === undefined) return
    this.#forget(connection)
    connection.socket.destroy()
  }

  #forget(connection: OpenConnection): void {
    if (this.#remove(connection)) this.#size--
  }

  #remove(connection: OpenConnection): boolean {
    const { username } = connection
    if (username === undefined) return this.#unauthenticated.delete(connection)
    const others = this.#authenticated.get(username)
    const removed = others?.delete(connection) === true
    if (others?.size === 0) this.#authenticated.delete(username)
    return removed
  }
}

/** Enough for the agents of a large fleet that all reconnect at once. */
const MAX_UNAUTHENTICATED = 10_000
const GRACE_MILLISECONDS = 3000

export function defaultLimits(descriptors: number): ConnectionLimits {
  return {
    total: Math.max(8, Math.floor((descriptors * 3) / 4)),
    unauthenticated: Math.max(4, Math.min(MAX_UNAUTHENTICATED, Math.floor(descriptors / 8))),
    graceMilliseconds: GRACE_MILLISECONDS,
  }
}

function oldest<T>(set: ReadonlySet<T>): T | undefined {
  for (const first of set) return first
  return undefined
}
