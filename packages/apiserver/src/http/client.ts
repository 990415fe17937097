import type { Socket } from 'node:net'
import type { Connection } from './connections.js'
import type { HeldAnswer } from './held-answers.js'
import type { SharedResources } from './serving-limits.js'

/** The client of a connection, and the resources of its requests. */
export class Client {
  readonly #connection: Connection
  readonly #resources: SharedResources
  #deadline: NodeJS.Timeout | undefined

  constructor(connection: Connection, resources: SharedResources) {
    this.#connection = connection
    this.#resources = resources
  }

  /** Closes the connection unless the next step happens in time, however much data arrives. */
  expect(milliseconds: number): void {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.#connection.socket.destroy(), milliseconds)
  }

  /** Cancels the deadline: the step happened, or the connection is closed. */
  arrived(): void {
    if (this.#deadline === undefined) return
    clearTimeout(this.#deadline)
    this.#deadline = undefined
  }

  /** Undefined until a request has authenticated. */
  get username(): string | undefined {
    return this.#connection.username
  }

  authenticated(username: string): void {
    if (this.#connection.username !== username) this.#resources.connections.authenticated(this.#connection, username)
  }

  /** Counts a response that the client has not read yet. */
  hold(bytes: number, cut: () => void): HeldAnswer {
    return this.#resources.heldAnswers.hold({ username: this.#connection.username, cut }, bytes)
  }

  /** Counts a request that is not over yet. */
  holdRequest(bytes: number, cut: () => void): HeldAnswer {
    return this.#resources.heldRequests.hold({ username: this.#connection.username, cut }, bytes)
  }
}

/** Identifies a connection before and after TLS, which have different sockets. */
export function endpointsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
