import { join } from 'node:path'
import { ADAPTER_ACCOUNT, type FleetDirectory, fleetDirectory, readPlan } from '@orrery/fleet'
import { requestToken } from '@orrery/kube/credentials'
import type { MaestroClientOptions } from '@orrery/maestro'
import { clusterTarget, withTarget } from '../../shared/target.js'

/** Enough for a watch of a working day. */
const TOKEN_SECONDS = 12 * 3_600

type Connection = Pick<MaestroClientOptions, 'apiUrl' | 'grpcUrl' | 'ca' | 'token'>

/**
 * The Maestro server of the local fleet, with a token of the service account of adapters. Undefined if the fleet has
 * none, unless `data` selects the fleet.
 */
export async function fleetServer(data: string | undefined): Promise<Connection | undefined> {
  const fleet = fleetDirectory(data)
  const ports = (await readPlan(fleet))?.maestro
  if (ports === undefined) {
    if (data === undefined) return undefined
    throw new Error(`the fleet in ${fleet.root} has no Maestro server: run ${fleet.command('up --maestro')}`)
  }
  return {
    apiUrl: `https://127.0.0.1:${ports.rest}`,
    // A name, because TLS has no server names that are addresses.
    grpcUrl: `grpcs://localhost:${ports.sources}`,
    ca: { file: join(fleet.maestro, 'tls', 'ca.crt') },
    token: await adapterToken(fleet),
  }
}

function adapterToken(fleet: FleetDirectory): Promise<string> {
  return withTarget(clusterTarget({ data: fleet.root }, 'hub'), (hub) =>
    requestToken(hub, ADAPTER_ACCOUNT, { expirationSeconds: TOKEN_SECONDS }),
  )
}
