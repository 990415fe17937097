import { connect } from '@orrery/kube/transport'
import type { FleetDirectory } from '../directory.js'
import type { MaestroPlan } from '../plan.js'
import { type MaestroAddresses, maestroAddresses } from './connection.js'

/** The Maestro server of a fleet. */
export interface MaestroStatus extends MaestroAddresses {
  /** Whether the REST port answers. */
  readonly isReady: boolean
}

/** Asks the Maestro server of a fleet. */
export async function maestroStatus(
  directory: FleetDirectory,
  plan: MaestroPlan,
  signal: AbortSignal,
): Promise<MaestroStatus> {
  const addresses = maestroAddresses(directory, plan)
  return { ...addresses, isReady: await answers(addresses, signal) }
}

/** Any response will do: without credentials, the server rejects the request. */
async function answers({ rest, caFile }: MaestroAddresses, signal: AbortSignal): Promise<boolean> {
  const config = { server: rest, origin: 'status of the fleet', certificateAuthority: { file: caFile } }
  const transport = connect(config, { retry: false })
  try {
    const response = await transport.request({ method: 'GET', path: '/api/maestro/v1', headers: {}, signal })
    await response.bytes()
    return true
  } catch {
    // A server that does not answer is not ready, whatever the error.
    return false
  } finally {
    transport.close?.()
  }
}
