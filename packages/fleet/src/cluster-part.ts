import { join } from 'node:path'
import {
  type AddonOptions,
  type Agent,
  type AgentFeatures,
  DEFAULT_PARTS,
  EMBEDDED_AGENT_FEATURES,
  installSpoke,
  type OpenSource,
  partsWith,
  startAgent,
  startWorkAlone,
  workPartOf,
} from '@orrery/agent'
import { startApiServer } from '@orrery/apiserver'
import type { Logger } from '@orrery/kube'
import { unlessAborted } from '@orrery/kube/process'
import { NodeGate, startNode } from '@orrery/node'
import type { FleetDirectory } from './directory.js'
import { hasLostData } from './kubeconfig.js'
import { maestroWorkPart } from './maestro/agent-part.js'
import type { PartReport } from './messages.js'
import type { MaestroPlan } from './plan.js'
import { closing, type RunningPart } from './running-part.js'

/** How a cluster joins the hub. */
export interface JoinCredentials {
  /** The bootstrap kubeconfig. */
  readonly kubeconfig: string
  /** Whether to rejoin a hub that no longer knows the cluster. Default false. */
  readonly rejoin?: boolean
}

export interface ClusterPartOptions {
  readonly directory: FleetDirectory
  readonly name: string
  readonly port: number
  /** Start with an empty store if the data was lost. Default false: then it does not start. */
  readonly newStore?: boolean
  /** Resolves when the hub is ready. Undefined: the cluster joins no hub, and its agent only applies works. */
  readonly joinCredentials?: Promise<JoinCredentials>
  /** Connects the agent to the source of works. Default: the API of the hub. */
  readonly openSource?: OpenSource
  /** The Maestro server of the fleet, whose works are applied in addition. Default none. */
  readonly maestro?: MaestroPlan
  /** Whether the cluster runs KubeVirt. Default false. */
  readonly kubevirt?: boolean
  /** The requested lifetime of the agent's certificates. Default: the stored value, else the hub decides. */
  readonly certificateSeconds?: number
  /** The feature gates of the agent. Default: EMBEDDED_AGENT_FEATURES. */
  readonly features?: Partial<AgentFeatures>
  /** How the agents of add-ons authenticate to the hub. Default: the defaults of the agent. */
  readonly addons?: AddonOptions
  /** Ends the wait for the hub. Default: no limit. */
  readonly signal?: AbortSignal
  readonly log: Logger
  readonly report: (report: PartReport) => void
}

/** Starts an embedded cluster: its API server, its node, and the agent that joins it to the hub. */
export async function startClusterPart(options: ClusterPartOptions): Promise<RunningPart> {
  const {
    directory,
    name,
    port,
    joinCredentials,
    openSource,
    maestro,
    kubevirt = false,
    certificateSeconds,
    features,
    addons = {},
    signal,
    log,
    report,
  } = options
  return closing(async (onClose) => {
    const gate = new NodeGate({ kubevirt })
    const server = await startApiServer({
      dataDirectory: directory.data(name),
      newStore: options.newStore === true,
      hadStore: await hasLostData(directory, name),
      port,
      log: log.child('apiserver'),
      connectors: gate.connectors,
      groups: gate.groups,
      admission: gate.admission,
    })
    onClose(() => server.close())
    const client = server.client({ fieldManager: 'orrery-agent' })
    report({ type: 'serving', url: server.url, kubeconfig: await server.kubeconfig(name) })
    const [node] = await Promise.all([
      startNode({
        client,
        gate,
        name: `${name}-node`,
        directory: join(directory.data(name), 'node'),
        hiddenDirectories: [directory.root],
        kubevirt,
        machines: 'auto',
        machineImageFile: directory.machineImages,
        programFile: directory.programs,
        server: server.url,
        log: log.child('node'),
      }),
      installSpoke(client),
    ])
    onClose(() => node.stop())
    if (joinCredentials === undefined) {
      if (openSource === undefined) throw new RangeError('a cluster without a hub needs a source of works')
      const works = await startWorkAlone({ spoke: client, clusterName: name, openSource, log: log.child('agent') })
      onClose(() => works.close())
      report({ type: 'phase', phase: 'joined' })
      return server.url
    }
    const { kubeconfig, rejoin = false } = await unlessAborted(joinCredentials, signal)
    const parts = openSource === undefined ? DEFAULT_PARTS : partsWith(workPartOf(openSource))
    const hubKubeconfigDirectory = join(directory.data(name), 'hub-kubeconfig')
    const agent = await startAgent({
      spoke: client,
      clusterName: name,
      bootstrap: { kubeconfigs: [kubeconfig] },
      rejoin,
      ...(certificateSeconds !== undefined && { certificateSeconds }),
      features: { ...EMBEDDED_AGENT_FEATURES, ...features },
      addons,
      parts,
      ...(maestro !== undefined && {
        hubKubeconfigDirectory,
        parts: [...parts, maestroWorkPart(directory, maestro, hubKubeconfigDirectory)],
      }),
      log: log.child('agent'),
    })
    onClose(() => agent.close())
    report({ type: 'phase', phase: 'joining' })
    const leaving = new AbortController()
    onClose(() => leaving.abort())
    const quiet = agent.subscribe(
      reportProblems((detail) => report({ type: 'phase', phase: 'joining', ...(detail !== undefined && { detail }) })),
    )
    agent.whenJoined(leaving.signal).then(
      () => {
        quiet()
        report({ type: 'phase', phase: 'joined' })
      },
      // It stops before it has joined.
      quiet,
    )
    return server.url
  })
}

/**
 * Reports the problem that keeps an agent from joining when two checks in a row find it: most problems at the start
 * resolve by themselves.
 */
export function reportProblems(notify: (detail: string | undefined) => void): (state: Agent['state']) => void {
  let seen: string | undefined
  let told: string | undefined
  return ({ phase, problem }) => {
    if (phase === 'joined') return
    if (problem !== told && problem === seen) {
      told = problem
      notify(problem)
    }
    seen = problem
  }
}
