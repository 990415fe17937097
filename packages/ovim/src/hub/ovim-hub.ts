import { hostname } from 'node:os'
import type { ControllerSpec } from '@orrery/kube'
import { systemClock } from '@orrery/kube/clock'
import { type Logger, silentLogger } from '@orrery/kube/log'
import { type ManagerContext, startManager } from '@orrery/kube/manager'
import { MetricRegistry } from '@orrery/kube/metrics'
import { certificateInDirectory, keyPairOf, listen, type ServingCertificate } from '@orrery/kube/serving'
import { machineController } from './machines/machine-controller.js'
import { DEFAULT_RETENTION, operationLifetime, operationSurplus } from './operations/operation-lifetime.js'
import type { OvimHubOptions } from './options.js'
import { organizationController } from './organizations/organization-controller.js'
import { ovimServer } from './ovim-server.js'
import { queueMetrics } from './queue/queue-metrics.js'
import { storedCertificate } from './server/stored-certificate.js'
import { templateSync } from './templates/template-sync.js'
import { vdcController } from './vdcs/vdc-controller.js'
import { AgentContacts } from './zones/agent-contacts.js'
import { zoneConnection } from './zones/zone-connection.js'

/** A running OVIM hub service. */
export interface OvimHub {
  readonly port: number
  /** The authority that signed the certificate of the port, in PEM, if it is known. */
  readonly certificateAuthority: string | undefined
  readonly metrics: MetricRegistry
  /** What is wrong; empty if everything works. */
  readonly problems: readonly string[]
  /** Answers the requests in flight, and closes. */
  close(): Promise<void>
}

const DEFAULT_PORT = 8443

/** The controllers of OVIM, for a hub that runs them with its own: pass them to `startHub`. */
export function ovimControllers(
  context: ManagerContext,
  options: Pick<OvimHubOptions, 'retention'> & { readonly contacts?: AgentContacts } = {},
): ControllerSpec[] {
  const retention = { ...DEFAULT_RETENTION, ...options.retention }
  const { contacts = new AgentContacts(context.clock) } = options
  return [
    organizationController(context),
    vdcController(context),
    machineController(context),
    operationLifetime(context, retention, queueMetrics(context.metrics)),
    operationSurplus(context, retention),
    zoneConnection(context, contacts),
    templateSync(context),
  ]
}

/** Starts the OVIM hub service: its controllers, and the APIs for agents and users. Resolves when requests are served. */
export async function startOvimHub(options: OvimHubOptions): Promise<OvimHub> {
  const { client, host, port = DEFAULT_PORT, leadership, signal, retention } = options
  const { clock = systemClock, log = silentLogger, metrics = new MetricRegistry() } = options
  const contacts = new AgentContacts(clock)
  let context: ManagerContext | undefined
  const manager = await startManager({
    client,
    eventSource: 'ovim.io/hub',
    controllers: (one) => {
      context = one
      return ovimControllers(one, { contacts, ...(retention && { retention }) })
    },
    clock,
    log,
    metrics,
    ...(leadership !== undefined && { leadership }),
    ...(signal !== undefined && { signal }),
  })
  try {
    const server = await ovimServer({
      ...options,
      context: context as ManagerContext,
      contacts,
      manager,
      clock,
      log,
      metrics,
    })
    const certificate = await certificateOf(options, clock.now(), log)
    const listener = await listen({
      host,
      port,
      certificate,
      clientAuthority: options.clientAuthority,
      serve: server.serve,
      clock,
      log: log.child('server'),
    })
    return {
      port: listener.port,
      certificateAuthority: certificate.current?.ca,
      metrics,
      get problems() {
        return manager.health.problems
      },
      async close() {
        server.stop()
        await listener.close()
        certificate.close()
        server.close()
        await manager.close()
      },
    }
  } catch (error) {
    await manager.close()
    throw error
  }
}

async function certificateOf(options: OvimHubOptions, now: Date, log: Logger): Promise<ServingCertificate> {
  const { certificateDirectory, serverNames = ['localhost', '127.0.0.1', hostname()] } = options
  if (certificateDirectory !== undefined) return certificateInDirectory(certificateDirectory, log)
  const { cert, key, ca } = await storedCertificate(options.client, serverNames, now)
  const current = keyPairOf(cert, key, ca)
  return { current, onChange: () => () => undefined, refresh: () => Promise.resolve(), close: () => undefined }
}
