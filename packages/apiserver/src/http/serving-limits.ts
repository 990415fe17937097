import { type ConnectionLimits, Connections } from './connections.js'
import { HeldAnswers } from './held-answers.js'
import { heldRequests } from './held-requests.js'

/** The resources that the connections of all listeners share. */
export interface SharedResources {
  readonly connections: Connections
  readonly heldAnswers: HeldAnswers
  readonly heldRequests: HeldAnswers
}

export interface ServingLimits {
  /** Open client connections. Defaults to three quarters of the file descriptors of the process. */
  readonly connections?: number
  /** Unauthenticated connections. Defaults to an eighth of the descriptors, 10,000 at most. */
  readonly unauthenticatedConnections?: number
  /** Bytes of responses that wait for slow clients. Defaults to 256 MiB. */
  readonly heldAnswerBytes?: number
  /** Bytes of requests from their arrival to the end of their response. Defaults to a quarter of the heap. */
  readonly heldRequestBytes?: number
  /** Seats that priority levels share: the number of ordinary requests served at a time. Defaults to 600. */
  readonly concurrency?: number
}

let shared: SharedResources | undefined

/** Servers in one process share its descriptors and memory, so they share these limits unless a server has its own. */
export function sharedResources(limits: ServingLimits = {}): SharedResources {
  const { connections, unauthenticatedConnections, heldAnswerBytes, heldRequestBytes } = limits
  const given = [connections, unauthenticatedConnections, heldAnswerBytes, heldRequestBytes]
  if (given.every((limit) => limit === undefined)) {
    shared ??= { connections: new Connections(), heldAnswers: new HeldAnswers(), heldRequests: heldRequests() }
    return shared
  }
  const own: Partial<ConnectionLimits> = {
    ...(connections !== undefined && { total: connections }),
    ...(unauthenticatedConnections !== undefined && { unauthenticated: unauthenticatedConnections }),
  }
  return {
    connections: new Connections(own),
    heldAnswers: new HeldAnswers(heldAnswerBytes),
    heldRequests: heldRequests(heldRequestBytes),
  }
}
