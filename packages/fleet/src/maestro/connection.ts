import { join } from 'node:path'
import type { FleetDirectory } from '../directory.js'
import { LOOPBACK } from '../hub-serving.js'
import type { MaestroPlan } from '../plan.js'

/** How programs on this machine reach the Maestro server of a fleet. */
export interface MaestroAddresses {
  /** The URL of the REST port. */
  readonly rest: string
  /** The URL of the gRPC port of sources. */
  readonly sources: string
  /** The URL of the gRPC port of agents. */
  readonly agents: string
  /** The CA that verifies all of them. */
  readonly caFile: string
}

export function maestroAddresses(directory: FleetDirectory, { rest, sources, agents }: MaestroPlan): MaestroAddresses {
  return {
    rest: `https://${LOOPBACK}:${rest}`,
    sources: `grpcs://${LOOPBACK}:${sources}`,
    agents: `grpcs://${LOOPBACK}:${agents}`,
    caFile: join(directory.maestro, 'tls', 'ca.crt'),
  }
}
