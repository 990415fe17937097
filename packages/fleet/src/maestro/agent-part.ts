import { join } from 'node:path'
import { type AgentPart, workPartOf } from '@orrery/agent'
import type { FleetDirectory } from '../directory.js'
import type { MaestroPlan } from '../plan.js'

/**
 * Applies the works of the fleet's Maestro server, in addition to those of the hub.
 * @param credentials The directory with the agent's certificate for the hub.
 */
export function maestroWorkPart(directory: FleetDirectory, { agents }: MaestroPlan, credentials: string): AgentPart {
  const config = {
    // A name, because TLS has no server names that are addresses.
    url: `localhost:${agents}`,
    credentials: {
      ca: { file: join(directory.maestro, 'tls', 'ca.crt') },
      certificate: { file: join(credentials, 'tls.crt') },
      key: { file: join(credentials, 'tls.key') },
    },
  }
  return workPartOf(async (identity) => {
    // Loaded on demand: most fleets have no Maestro server.
    const { grpcSource } = await import('@orrery/maestro/agent')
    return grpcSource(config, identity)
  }, 'maestro-work')
}
