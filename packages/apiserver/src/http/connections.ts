import type { Socket } from 'node:net'
import { descriptorLimit } from './descriptors.js'

export interface ConnectionLimits {
  /** Open client connections. Default: three quarters of the file descriptors of the process. */
  readonly total: number
  /** Connections of clients that have not authenticated. Default: an eighth of the descriptors, 10,000 at most. */
  readonly unauthenticated: number
  /** How long a client has to authenticate before its connection can be closed for a new one. Default 3 seconds. */
  readonly graceMilliseconds: number
}

/** A client connection, from the moment it is accepted. */
export interface Connection {
  readonly socket: Socket
  /** Who its requests come from; undefined until one of them has authenticated. */
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
 * The client connections that share the file descriptors of the process. When there are too many, one is closed to make
 * room for the new one: clients without credentials must not be able to keep out those that have some. Clients that
 * have begun their handshake a moment ago are left to finish, and the new one is refused instead: a fleet that reconnects
 * at once would otherwise cut itself off without end.
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

  /** Takes a new connection in. Undefined, and the socket closed, when there is no room for it. */
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

  /** A request on this connection has authenticated. */
  authenticated(connection: Connection, username: string): void {
    if (connection.username === username) return
    const known = connection as OpenConnection
    if (!this.#remove(known)) return
    known.username = username
    const others = this.#authenticated.get(username)
    if (others === undefined) this.#authenticated.set(username, new Set([known]))
    else others.add(known)
  }

  /** The oldest connection that has sent nothing; else the oldest that has not authenticated, unless it still has time to. */
  #slowest(): OpenConnection | undefined {
    for (const connection of this.#unauthenticated) if (connection.socket.bytesRead === 0) return connection
    const first = oldest(this.#unauthenticated)
    const isSlow = first !== undefined && performance.now() - first.since >= this.#limits.graceMilliseconds
    return isSlow ? first : undefined
  }

  /** The oldest connection of the user with the most, unless nobody has more than one. */
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

/** Room for the agents of a large fleet that all reconnect at once. */
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
