/** A connection that is kept open between requests. */
export interface KeptConnection {
  /** Closes the connection, after the current response if there is one. */
  close(): void
  /** Called at intervals. Closes the connection if it had no request for this number of calls. */
  closeIfIdle(calls: number): void
}

/** How often connections are checked. */
const CHECK_MS = 10_000

/**
 * Closes connections that had no request for a time. One timer checks all of them: Node.js would move the timer of a
 * connection several times for each request, which costs more than parsing it.
 */
export class KeepAlive {
  readonly #connections = new Set<KeptConnection>()
  readonly #timer: NodeJS.Timeout

  constructor(idleMilliseconds: number) {
    const calls = Math.ceil(idleMilliseconds / CHECK_MS)
    this.#timer = setInterval(() => {
      for (const connection of this.#connections) connection.closeIfIdle(calls)
    }, CHECK_MS)
    this.#timer.unref()
  }

  add(connection: KeptConnection): void {
    this.#connections.add(connection)
  }

  delete(connection: KeptConnection): void {
    this.#connections.delete(connection)
  }

  /** Closes all connections. */
  close(): void {
    clearInterval(this.#timer)
    for (const connection of this.#connections) connection.close()
  }
}
