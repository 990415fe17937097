import { ADAPTER_ACCOUNT, type FleetDirectory, maestroAddresses, readPlan } from '@orrery/fleet'
import { requestToken } from '@orrery/kube/credentials'
import type { MaestroClientOptions } from '@orrery/maestro'
import { clusterTarget, withTarget } from '../../shared/target.js'

/** Enough for a watch of a working day. */
const TOKEN_SECONDS = 12 * 3_600

type Connection = Pick<MaestroClientOptions, 'apiUrl' | 'grpcUrl' | 'ca' | 'token'>

interface FleetConnectionOptions {
  /** Whether a fleet without a Maestro server is an error. */
  readonly isRequired: boolean
  /** Whether to request a token of the service account of adapters. */
  readonly needsToken: boolean
}

/** How to reach the Maestro server of a fleet. Undefined if the fleet has none. */
export async function fleetConnection(
  fleet: FleetDirectory,
  { isRequired, needsToken }: FleetConnectionOptions,
): Promise<Connection | undefined> {
  const ports = (await readPlan(fleet))?.maestro
  if (ports === undefined) {
    if (!isRequired) return undefined
    throw new Error(`the fleet in ${fleet.root} has no Maestro server: run ${fleet.command('up --maestro')}`)
  }
  const { rest, sources, caFile } = maestroAddresses(fleet, ports)
  return {
    apiUrl: rest,
    grpcUrl: sources,
    ca: { file: caFile },
    ...(needsToken && { token: await adapterToken(fleet) }),
  }
}

function adapterToken(fleet: FleetDirectory): Promise<string> {
  return withTarget(clusterTarget({ data: fleet.root }, 'hub'), (hub) =>
    requestToken(hub, ADAPTER_ACCOUNT, { expirationSeconds: TOKEN_SECONDS }),
  )
}
