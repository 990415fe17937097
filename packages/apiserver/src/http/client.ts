import type { Socket } from 'node:net'
import type { Connection } from './connections.js'
import type { HeldAnswer } from './held-answers.js'
import type { SharedResources } from './serving-limits.js'

/** Who is at the other end of a connection, and what its exchanges may take of the process. */
export class Client {
  readonly #connection: Connection
  readonly #resources: SharedResources
  #deadline: NodeJS.Timeout | undefined

  constructor(connection: Connection, resources: SharedResources) {
    this.#connection = connection
    this.#resources = resources
  }

  /** Closes the connection unless the next step is made in time, however much is sent meanwhile. */
  expect(milliseconds: number): void {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.#connection.socket.destroy(), milliseconds)
  }

  /** The step was made, or the connection is closed. */
  arrived(): void {
    if (this.#deadline === undefined) return
    clearTimeout(this.#deadline)
    this.#deadline = undefined
  }

  authenticated(username: string): void {
    if (this.#connection.username !== username) this.#resources.connections.authenticated(this.#connection, username)
  }

  /** Accounts for an answer the client has yet to read. */
  hold(bytes: number, cut: () => void): HeldAnswer {
    return this.#resources.heldAnswers.hold({ username: this.#connection.username, cut }, bytes)
  }
}

/** What a connection is known by before and after TLS: the two are different sockets. */
export function endpointsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
