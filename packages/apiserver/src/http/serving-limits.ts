import { type ConnectionLimits, Connections } from './connections.js'
import { HeldAnswers } from './held-answers.js'

/** What the connections of listeners take of the process together. */
export interface SharedResources {
  readonly connections: Connections
  readonly heldAnswers: HeldAnswers
}

export interface ServingLimits {
  /** Open client connections. Default: three quarters of the file descriptors of the process. */
  readonly connections?: number
  /** Connections that have not authenticated. Default: an eighth of the descriptors, 10,000 at most. */
  readonly unauthenticatedConnections?: number
  /** Bytes of answers that wait for slow readers. Default 256 MiB. */
  readonly heldAnswerBytes?: number
  /** Seats that priority levels share: how many ordinary requests are served at a time. Default 600. */
  readonly concurrency?: number
}

let shared: SharedResources | undefined

/** Servers in one process share its descriptors and its memory, so they share these, unless one has limits of its own. */
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
