import { join } from 'node:path'
import type { KubeClient, Logger } from '@orrery/kube'
import type { ClosingStep } from '@orrery/kube/process'
import type { FleetDirectory } from '../directory.js'
import { advertisedUrl, type HubServing, LOOPBACK, servedNames } from '../hub-serving.js'
import type { OvimPlan } from '../plan.js'
import { ensureServingFiles } from '../serving-files.js'
import { AgentPorts } from './agent-ports.js'

export interface FleetOvimOptions {
  readonly directory: FleetDirectory
  readonly plan: OvimPlan
  readonly serving: HubServing
  /** The hub. */
  readonly hub: KubeClient
  /** The authority of the hub's client certificates, in PEM. */
  readonly clientAuthority: string
  readonly log: Logger
}

/** Starts the OVIM service of a fleet, and the add-on that installs a spoke agent on every cluster. */
export async function startFleetOvim(options: FleetOvimOptions, onClose: (step: ClosingStep) => void): Promise<void> {
  const { directory, plan, serving, hub, clientAuthority } = options
  const log = options.log.child('ovim')
  const tls = join(directory.ovim, 'tls')
  await ensureServingFiles(tls, 'orrery-ovim', ['localhost', LOOPBACK, ...servedNames(serving)])
  // Loaded on demand: most fleets have no virtual machines.
  const [{ installOvim, startOvimHub }, { startOvimAddon }] = await Promise.all([
    import('@orrery/ovim/hub'),
    import('@orrery/ovim/addon'),
  ])
  await installOvim(hub)
  const service = await startOvimHub({
    client: hub,
    host: serving.bindAddress ?? LOOPBACK,
    port: plan.port,
    certificateDirectory: tls,
    clientAuthority,
    log,
  })
  onClose(() => service.close())
  const ports = new AgentPorts(join(directory.ovim, 'agent-ports.json'), [plan.port])
  const addon = await startOvimAddon({
    client: hub,
    endpoint: advertisedUrl(serving, service.port) ?? `https://localhost:${service.port}`,
    certificateAuthority: () => service.certificateAuthority,
    apiPort: (cluster) => ports.of(cluster),
    installedOn: 'all',
    log: log.child('addon'),
  })
  onClose(() => addon.close())
  log.info('the OVIM service is ready', { port: service.port })
}
