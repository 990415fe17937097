import { join } from 'node:path'
import { Informers, type KubeClient, type Logger, startControllers } from '@orrery/kube'
import type { ClosingStep } from '@orrery/kube/process'
import type { FleetDirectory } from '../directory.js'
import { type HubServing, LOOPBACK, servedNames } from '../hub-serving.js'
import type { MaestroPlan } from '../plan.js'
import { writePrivately } from '../privatefile.js'
import { ensureServingFiles } from '../serving-files.js'
import { clusterConsumers } from './cluster-consumers.js'
import { ensureAdapterAccount } from './permissions.js'

const CONSUMER_HINT =
  'the consumers of this server are the clusters that the hub accepts: join or detach a cluster instead'

export interface FleetMaestroOptions {
  readonly directory: FleetDirectory
  readonly ports: MaestroPlan
  readonly serving: HubServing
  /** The hub: it reviews tokens and permissions. */
  readonly hub: KubeClient
  /** The authority of the hub's client certificates, in PEM. */
  readonly clientAuthority: string
  readonly log: Logger
}

/**
 * Starts the Maestro server of a fleet: with its own certificate, with the identities and permissions of the hub, and with
 * a consumer for each cluster.
 */
export async function startFleetMaestro(
  options: FleetMaestroOptions,
  onClose: (step: ClosingStep) => void,
): Promise<void> {
  const { directory, ports, serving, hub, clientAuthority, log } = options
  const { caFile, certFile, keyFile } = await ensureServingFiles(join(directory.maestro, 'tls'), 'orrery-maestro', [
    'localhost',
    LOOPBACK,
    ...servedNames(serving),
  ])
  const clientCaFile = join(directory.maestro, 'tls', 'client-ca.crt')
  await writePrivately(clientCaFile, clientAuthority)
  await ensureAdapterAccount(hub)
  // Loaded on demand: most fleets have no Maestro server.
  const { startMaestroServer } = await import('@orrery/maestro/server')
  const tls = { certFile, keyFile, clientCaFile }
  const server = await startMaestroServer({
    database: { directory: join(directory.maestro, 'data') },
    host: serving.bindAddress ?? LOOPBACK,
    ports: { ...ports, health: false, metrics: false },
    tls: { rest: tls, sources: tls, agents: tls },
    access: { client: hub, registeredAgentsOnly: true, consumerHint: CONSUMER_HINT },
    log: log.child('maestro'),
  })
  onClose(() => server.close())
  const informers = new Informers(hub, { log })
  onClose(() => informers.close())
  const consumers = clusterConsumers(informers, server)
  const controllers = startControllers([consumers], { client: hub, log })
  onClose(() => controllers.stop())
  log.info('the Maestro server is ready', { ...ports, caFile })
}
