import { join } from 'node:path'
import { bootstrapKubeconfig } from '@orrery/agent'
import { addOnConverters } from '@orrery/api'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import {
  BOOTSTRAP_TOKEN_USER,
  EMBEDDED_HUB_FEATURES,
  hubAdmission,
  installHub,
  parseFeatureGates,
  publishClusterInfo,
  startHub,
} from '@orrery/hub'
import { Informers, type KubeClient, type Logger } from '@orrery/kube'
import { NodeGate, startNode } from '@orrery/node'
import { reportClusters, reportTakenNames } from './cluster-reports.js'
import { type FleetDirectory, HUB } from './directory.js'
import { advertisedUrl, type HubServing, LOOPBACK, servedNames } from './hub-serving.js'
import { hasLostData } from './kubeconfig.js'
import { startFleetMaestro } from './maestro/start.js'
import type { PartReport } from './messages.js'
import { startFleetOvim } from './ovim/start.js'
import { placementDebugPaths } from './placement-debug.js'
import type { MaestroPlan, OvimPlan } from './plan.js'
import { writePrivately } from './privatefile.js'
import { closing, type RunningPart } from './running-part.js'

export interface HubPartOptions {
  readonly directory: FleetDirectory
  readonly port: number
  /** How other machines reach it. Default: they do not. */
  readonly serving?: HubServing
  /** Start with an empty store if the data was lost. Default false: then it does not start. */
  readonly newStore?: boolean
  /** Whether every cluster with the bootstrap token is accepted. */
  readonly autoApprove: boolean
  /** `NAME=true,OTHER=false`, over the defaults of an embedded hub. */
  readonly featureGates: string
  /** Run a node for the controllers of add-ons in these namespaces. Default none: no node. */
  readonly addOnNamespaces?: readonly string[]
  /** Run a Maestro server on these ports. Default: none. */
  readonly maestro?: MaestroPlan
  /** Run the OVIM service on this port. Default: none. */
  readonly ovim?: OvimPlan
  /** Cancels the start. */
  readonly signal?: AbortSignal
  readonly log: Logger
  readonly report: (report: PartReport) => void
}

/** Starts an embedded hub: its API server, the hub's kinds and permissions, and its controllers. */
export async function startHubPart(options: HubPartOptions): Promise<RunningPart> {
  const { directory, port, serving = {}, autoApprove, signal, log, report } = options
  const features = parseFeatureGates(options.featureGates, {
    ...EMBEDDED_HUB_FEATURES,
    ManagedClusterAutoApproval: autoApprove,
  })
  const startedAt = new Date()
  return closing(async (onClose) => {
    const admission = hubAdmission({ features })
    const { addOnNamespaces = [] } = options
    const gate = addOnNamespaces.length > 0 ? new NodeGate() : undefined
    let hubClient: KubeClient | undefined
    const server = await startApiServer({
      dataDirectory: directory.data(HUB),
      newStore: options.newStore === true,
      hadStore: await hasLostData(directory, HUB),
      host: serving.bindAddress ?? LOOPBACK,
      hosts: servedNames(serving),
      port,
      log: log.child('apiserver'),
      converters: addOnConverters,
      admission: admission.plugins,
      ...(gate !== undefined && { connectors: gate.connectors, groups: gate.groups }),
      paths: features.PlacementDebugServer ? [placementDebugPaths(() => hubClient)] : [],
    })
    onClose(() => server.close())
    report({ type: 'serving', url: server.url, kubeconfig: await server.kubeconfig(HUB) })
    report({ type: 'phase', phase: 'installing' })
    const client = server.client({ fieldManager: 'orrery-hub' })
    admission.useClient(client)
    hubClient = client
    const { bootstrapToken } = await installHub(client, { bootstrapToken: true })
    await writeBootstrapKubeconfig(directory, server, bootstrapToken ?? '')
    const url = advertisedUrl(serving, server.port) ?? server.url
    await publishClusterInfo(client, url, server.certificateAuthority)
    const hub = await startHub({
      client,
      log: log.child('hub'),
      features,
      options: { autoApprovedUsers: autoApprove ? [BOOTSTRAP_TOKEN_USER] : [] },
      ...(signal !== undefined && { signal }),
    })
    onClose(() => hub.close())
    if (gate !== undefined) {
      const node = await startNode({
        client,
        gate,
        name: `${HUB}-node`,
        directory: join(directory.data(HUB), 'node'),
        hiddenDirectories: [directory.root],
        programFile: directory.programs,
        // Users who may create pods in other namespaces of the hub must not run programs on its machine.
        programNamespaces: addOnNamespaces,
        server: server.url,
        log: log.child('node'),
      })
      onClose(() => node.stop())
    }
    const { maestro: ports, ovim } = options
    const { certificateAuthority: clientAuthority } = server
    if (ports !== undefined) {
      report({ type: 'phase', phase: 'installing', detail: 'starting the Maestro server' })
      await startFleetMaestro({ directory, ports, serving, hub: client, clientAuthority, log }, onClose)
    }
    if (ovim !== undefined) {
      report({ type: 'phase', phase: 'installing', detail: 'starting the OVIM service' })
      await startFleetOvim({ directory, plan: ovim, serving, hub: client, clientAuthority, log }, onClose)
    }
    const informers = new Informers(client, { log })
    onClose(() => informers.close())
    reportClusters(informers, (cluster) => report({ type: 'cluster', cluster }))
    reportTakenNames(informers, startedAt, (cluster, detail) => report({ type: 'obstacle', cluster, detail }))
    report({ type: 'phase', phase: 'ready' })
    return server.url
  })
}

async function writeBootstrapKubeconfig(directory: FleetDirectory, server: ApiServer, token: string): Promise<void> {
  const text = await bootstrapKubeconfig({ server: server.url, ca: server.certificateAuthority, token })
  await writePrivately(directory.bootstrap, text)
}
