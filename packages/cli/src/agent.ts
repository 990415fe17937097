import { readFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import type { AddonOptions, Agent } from '@orrery/agent'
import {
  ensurePart,
  type FleetDirectory,
  fleetDirectory,
  HUB,
  LOOPBACK,
  readIfThere,
  readPlan,
  type Supervisor,
} from '@orrery/fleet'
import type { JoinCredentials } from '@orrery/fleet/parts'
import { clientConfigOf, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { MetricRegistry } from '@orrery/kube/metrics'
import { Command, InvalidArgumentError, Option } from 'commander'
import { NEW_STORE, portNumber, refuseOptions } from './arguments.js'
import { runPart } from './embedded-part.js'
import { type FeatureGateOptions, featureGatesOption, readAgentGates } from './shared/feature-gates.js'
import { addHealthOption, type HealthOptions, serveHealth } from './shared/health.js'
import { addLogOptions, type LogOptions, loggerOf } from './shared/logging.js'
import { onStopSignal } from './shared/stop-signal.js'
import {
  addInClusterOption,
  addPartTargetOptions,
  isElsewhere,
  NEEDS_EMBEDDED,
  NEEDS_EXISTING_CLUSTER,
  type TargetOptions,
  targetOf,
  withTarget,
} from './shared/target.js'
import { explainListen } from './start-failure.js'
import { addTransportOptions, type TransportOptions, workSourceOf } from './work-transport.js'

interface AgentCommandOptions extends TargetOptions, LogOptions, HealthOptions, FeatureGateOptions, TransportOptions {
  readonly clusterName?: string
  readonly leaderElect: boolean
  readonly bootstrapKubeconfig?: readonly string[]
  readonly port?: number
  readonly newStore?: boolean
  readonly addonKubeclientRegistrationAuth: 'csr' | 'token'
  readonly addonTokenExpirationSeconds?: number
}

/** `orrery agent`. */
export function agentCommand(): Command {
  const command = new Command('agent')
    .description('Run the agent of an embedded cluster or of an existing cluster.')
    .option(
      '--cluster-name <name>',
      'name of the cluster on the hub (default: its current name, else a random name)',
      clusterName,
    )
    .option(
      '--bootstrap-kubeconfig <file>',
      'bootstrap kubeconfig of the hub (default: the one of the local fleet, or the Secret on the cluster)',
      (file: string, before: readonly string[] = []) => [...before, file],
    )
    .option(
      '--port <number>',
      'port of an embedded cluster (default: its previous port, at first a free port)',
      portNumber,
    )
    .option('--new-store', NEW_STORE)
    .addOption(featureGatesOption())
    .addOption(
      new Option(
        '--addon-kubeclient-registration-auth <driver>',
        'credentials of add-ons for the hub: a client certificate (csr) or a service account token (token)',
      )
        .choices(['csr', 'token'])
        .default('csr'),
    )
    .option(
      '--addon-token-expiration-seconds <number>',
      'requested lifetime of the tokens of add-ons, at least 600 (default: 31536000)',
      tokenSeconds,
    )
    .option('--no-leader-elect', 'on an existing cluster: run without leader election')
    .addHelpText(
      'after',
      `
Examples:
  orrery agent --cluster-name edge            add an embedded cluster to the local fleet
  orrery agent --cluster-name edge --data ./edge --bootstrap-kubeconfig ./hub.kubeconfig
                                              run an embedded cluster that joins another hub
  orrery agent --kubeconfig ./edge.kubeconfig --cluster-name edge --bootstrap-kubeconfig ./hub.kubeconfig
                                              run the agent of an existing cluster
  orrery agent --context edge --bootstrap-kubeconfig ./a --bootstrap-kubeconfig ./b --feature-gates MultipleHubs=true
                                              join the second hub if the first is lost
  orrery agent --in-cluster --health-address :8443
                                              run in a pod of the cluster, configured by its Secrets
  orrery agent --kubeconfig ./edge.kubeconfig --cluster-name edge --transport grpc --transport-config ./grpc.yaml
                                              apply works of a Maestro server, without joining a hub`,
    )
    .action((options: AgentCommandOptions, self: Command) =>
      isElsewhere(options) ? runOnExistingCluster(options, self) : runEmbedded(options, self),
    )
  return addLogOptions(addInClusterOption(addPartTargetOptions(addHealthOption(addTransportOptions(command)))))
}

/** Rejects the name `hub`: the hub has a context of that name in the kubeconfig of the fleet. */
function clusterName(text: string): string {
  if (text === HUB) throw new InvalidArgumentError(`The name ${HUB} is reserved.`)
  return text
}

/** The shortest lifetime of a token that Kubernetes issues, and the largest number of seconds that an API accepts. */
const TOKEN_SECONDS = { min: 600, max: 2 ** 32 } as const

function tokenSeconds(text: string): number {
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (seconds >= TOKEN_SECONDS.min && seconds <= TOKEN_SECONDS.max) return seconds
  throw new InvalidArgumentError(`Use a number of seconds from ${TOKEN_SECONDS.min} to ${TOKEN_SECONDS.max}.`)
}

function addonOptions(options: AgentCommandOptions): AddonOptions {
  const { addonKubeclientRegistrationAuth: kubeClientDriver, addonTokenExpirationSeconds: seconds } = options
  return { kubeClientDriver, ...(seconds !== undefined && { tokenSeconds: seconds }) }
}

async function runEmbedded(options: AgentCommandOptions, command: Command): Promise<void> {
  refuseOptions(command, ['leaderElect', 'healthAddress'], NEEDS_EXISTING_CLUSTER)
  const log = loggerOf(options)
  const directory = fleetDirectory(options.data)
  const { clusterName: name } = options
  if (name === undefined) command.error("error: required option '--cluster-name <name>' not specified")
  if ((options.bootstrapKubeconfig ?? []).length > 1)
    command.error("error: option '--bootstrap-kubeconfig' can be given once for an embedded cluster")
  const features = await readAgentGates(options, 1, command, true)
  const openSource = await workSourceOf(options, command)
  await runPart(directory, async ({ supervisor, report, stopping }) => {
    const joinCredentials = joinsHub(options)
      ? supervisor === undefined
        ? Promise.resolve({ kubeconfig: await readBootstrapKubeconfig(options, directory) })
        : whenHubServes(supervisor)
      : undefined
    const planned = await ensurePart(directory, name)
    const { maestro, kubevirt = false } = (await readPlan(directory)) ?? {}
    const { port = planned.port, newStore = false } = options
    // Loaded on demand, so that other commands start faster.
    const { startClusterPart } = await import('@orrery/fleet/parts')
    const addons = addonOptions(options)
    const settings = {
      directory,
      name,
      port,
      newStore,
      ...(joinCredentials !== undefined && { joinCredentials }),
      ...(openSource !== undefined && { openSource }),
      ...(maestro !== undefined && { maestro }),
      kubevirt,
      features,
      addons,
      signal: stopping,
      log,
      report,
    }
    try {
      return await startClusterPart(settings)
    } catch (error) {
      // A supervisor selects another port itself.
      if (supervisor !== undefined) throw error
      throw explainListen(error, { host: LOOPBACK, port, portOption: '--port', hostOption: '--port' })
    }
  })
}

async function runOnExistingCluster(options: AgentCommandOptions, command: Command): Promise<void> {
  refuseOptions(command, ['port', 'newStore'], NEEDS_EMBEDDED)
  // An agent is idle most of the time and shares the cluster with workloads: prefer low memory over speed.
  setFlagsFromString('--optimize-for-size')
  const log = loggerOf(options)
  const { bootstrapKubeconfig: files = [], clusterName: name } = options
  const features = await readAgentGates(options, files.length, command, false)
  const kubeconfigs = await Promise.all(files.map(readBootstrap))
  const openSource = await workSourceOf(options, command)
  if (!joinsHub(options) && name === undefined) {
    command.error("error: required option '--cluster-name <name>' not specified")
  }
  const { partsWith, runAgent, runWork, workPartOf } = await import('@orrery/agent')
  const stop = new AbortController()
  onStopSignal({ stop: () => stop.abort() })
  await withTarget({ ...targetOf(options), requester: 'orrery-agent' }, async (spoke) => {
    let agent: Agent | undefined
    const metrics = new MetricRegistry()
    addMembershipMetric(metrics, () => agent)
    // A standby replica is as healthy as the leader.
    const healthy = () => (agent?.state.problem === undefined ? [] : [agent.state.problem])
    const health = await serveHealth(options, { ready: () => [], healthy, metrics }, spoke, log)
    try {
      if (openSource !== undefined && name !== undefined && !joinsHub(options)) {
        const { leaderElect } = options
        await runWork({ spoke, clusterName: name, openSource, log, metrics }, { leaderElect, signal: stop.signal })
        return
      }
      await runAgent(
        {
          spoke,
          log,
          metrics,
          features,
          addons: addonOptions(options),
          ...(name !== undefined && { clusterName: name }),
          ...(kubeconfigs.length > 0 && { bootstrap: { kubeconfigs } }),
          ...(openSource !== undefined && { parts: partsWith(workPartOf(openSource)) }),
        },
        {
          leaderElect: options.leaderElect,
          signal: stop.signal,
          onStart(started) {
            agent = started
          },
        },
      )
    } finally {
      await health?.close()
    }
  })
}

/** Like the agent of Maestro, an agent with works over gRPC or MQTT joins a hub only if a bootstrap kubeconfig is given. */
function joinsHub({ transport, bootstrapKubeconfig = [] }: AgentCommandOptions): boolean {
  return transport === 'kube' || bootstrapKubeconfig.length > 0
}

function addMembershipMetric(metrics: MetricRegistry, agent: () => Agent | undefined): void {
  const joined = metrics.gauge({ name: 'orrery_agent_joined', help: 'Whether the agent has an identity on a hub.' })
  metrics.beforeRender(() => {
    joined.with({}).value = agent()?.state.phase === 'joined' ? 1 : 0
  })
}

/** The bootstrap kubeconfig: from the option, else the one that the hub of the fleet wrote. */
async function readBootstrapKubeconfig(
  { bootstrapKubeconfig }: AgentCommandOptions,
  directory: FleetDirectory,
): Promise<string> {
  const [file] = bootstrapKubeconfig ?? []
  if (file !== undefined) return readBootstrap(file)
  const text = await readIfThere(directory.bootstrap)
  if (text !== undefined) return text
  throw new Error(
    `the fleet in ${directory.root} has no hub: start one with ${directory.command('up')} or ` +
      `${directory.command('hub')}, or set --bootstrap-kubeconfig to join another hub`,
  )
}

/** Reads and validates a bootstrap kubeconfig. An agent would wait for a valid one without an error. */
async function readBootstrap(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  clientConfigOf(await parseKubeconfig(text, file))
  return text
}

/** The bootstrap kubeconfig, once the supervisor reports that the hub serves. */
function whenHubServes(supervisor: Supervisor): Promise<JoinCredentials> {
  const joinCredentials = new Promise<JoinCredentials>((resolve, reject) => {
    supervisor.onJoin(({ bootstrapFile, rejoin }) => {
      readFile(bootstrapFile, 'utf8').then((kubeconfig) => resolve({ kubeconfig, rejoin }), reject)
    })
  })
  // The part awaits this promise later and handles the error then.
  joinCredentials.catch(() => undefined)
  return joinCredentials
}
