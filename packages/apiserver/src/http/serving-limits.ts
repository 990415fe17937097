import { type ConnectionLimits, Connections } from './connections.js'
import { HeldAnswers } from './held-answers.js'

/** The resources that the connections of all listeners share. */
export interface SharedResources {
  readonly connections: Connections
  readonly heldAnswers: HeldAnswers
}

export interface ServingLimits {
  /** Open client connections. Defaults to three quarters of the file descriptors of the process. */
  readonly connections?: number
  /** Unauthenticated connections. Defaults to an eighth of the descriptors, 10,000 at most. */
  readonly unauthenticatedConnections?: number
  /** Bytes of responses that wait for slow clients. Defaults to 256 MiB. */
  readonly heldAnswerBytes?: number
  /** Seats that priority levels share: the number of ordinary requests served at a time. Defaults to 600. */
  readonly concurrency?: number
}

let shared: SharedResources | undefined

/** Servers in one process share its descriptors and memory, so they share these limits unless a server has its own. */
export function sharedResources(limits: ServingLimits = {}): SharedResources {
  const { connections, unauthenticatedConnections, heldAnswerBytes } = limits
  if (connections === undefined && unauthenticatedConnections === undefined && heldAnswerBytes === undefined) {
    shared ??= { connections: new Connections(), heldAnswers: new HeldAnswers() }
    return shared
  }
  const own: Partial<ConnectionLimits> = {
    ...(connections !== undefined && { total: connections }),
    ...(unauthenticatedConnections !== undefined && { unauthenticated: unauthenticatedConnections }),
  }
  return { connections: new Connections(own), heldAnswers: new HeldAnswers(heldAnswerBytes) }
}
