import { readFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import type { Agent } from '@orrery/agent'
import { type FleetDirectory, fleetDirectory, HUB, readIfThere, type Supervisor, settlePart } from '@orrery/fleet'
import type { JoinInvitation } from '@orrery/fleet/parts'
import { clientConfigOf, MetricRegistry, parseKubeconfig } from '@orrery/kube'
import { Command, InvalidArgumentError } from 'commander'
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
  NEEDS_GIVEN,
  type TargetOptions,
  targetOf,
  withTarget,
} from './shared/target.js'

interface AgentCommandOptions extends TargetOptions, LogOptions, HealthOptions, FeatureGateOptions {
  readonly clusterName?: string
  readonly leaderElect: boolean
  readonly bootstrapKubeconfig?: readonly string[]
  readonly port?: number
  readonly newStore?: boolean
}

/** `orrery agent`. */
export function agentCommand(): Command {
  const command = new Command('agent')
    .description('Run the agent of a cluster: of an embedded one, or of a given Kubernetes')
    .option(
      '--cluster-name <name>',
      'name of the cluster on the hub (default: the one it has, or a random one)',
      clusterName,
    )
    .option(
      '--bootstrap-kubeconfig <file>',
      'how to join the hub (default: as the local fleet says, or as the cluster has it)',
      (file: string, before: readonly string[] = []) => [...before, file],
    )
    .option('--port <number>', 'port of an embedded cluster (default: the one it had)', portNumber)
    .option('--new-store', NEW_STORE)
    .addOption(featureGatesOption())
    .option('--no-leader-elect', 'on a given Kubernetes: work even if another process does')
    .addHelpText(
      'after',
      `
Examples:
  orrery agent --cluster-name edge            one more embedded cluster of the local fleet
  orrery agent --cluster-name edge --data ./edge --bootstrap-kubeconfig ./hub.kubeconfig
                                              an embedded cluster that joins a hub elsewhere
  orrery agent --kubeconfig ./edge.kubeconfig --cluster-name edge --bootstrap-kubeconfig ./hub.kubeconfig
                                              a cluster that is there already
  orrery agent --context edge --bootstrap-kubeconfig ./a --bootstrap-kubeconfig ./b --feature-gates MultipleHubs=true
                                              one that goes to another hub when its hub is lost
  orrery agent --in-cluster --health-address :8443
                                              the cluster of the pod that this runs in, as its Secrets say`,
    )
    .action((options: AgentCommandOptions, self: Command) =>
      isElsewhere(options) ? runOnGiven(options, self) : runEmbedded(options, self),
    )
  return addLogOptions(addInClusterOption(addPartTargetOptions(addHealthOption(command))))
}

/** The name of the hub is taken: both have a context in the same kubeconfig. */
function clusterName(text: string): string {
  if (text === HUB) throw new InvalidArgumentError(`A cluster cannot be called ${HUB}.`)
  return text
}

async function runEmbedded(options: AgentCommandOptions, command: Command): Promise<void> {
  refuseOptions(command, ['leaderElect', 'healthAddress'], NEEDS_GIVEN)
  const log = loggerOf(options)
  const directory = fleetDirectory(options.data)
  const { clusterName: name } = options
  if (name === undefined) command.error("error: required option '--cluster-name <name>' not specified")
  if ((options.bootstrapKubeconfig ?? []).length > 1) command.error('error: an embedded cluster joins one hub')
  const features = await readAgentGates(options, 1, command)
  await runPart(directory, async ({ supervisor, report, stopping }) => {
    const invitation =
      supervisor === undefined
        ? Promise.resolve({ kubeconfig: await readInvitation(options, directory) })
        : whenInvited(supervisor)
    const { port } = await settlePart(directory, name)
    // Whatever is not needed by all commands is loaded by those that need it.
    const { startClusterPart } = await import('@orrery/fleet/parts')
    return startClusterPart({
      directory,
      name,
      port: options.port ?? port,
      newStore: options.newStore === true,
      invitation,
      features,
      signal: stopping,
      log,
      report,
    })
  })
}

async function runOnGiven(options: AgentCommandOptions, command: Command): Promise<void> {
  refuseOptions(command, ['port', 'newStore'], NEEDS_EMBEDDED)
  // An agent is a guest on its cluster and waits most of the time: memory is worth more than speed.
  setFlagsFromString('--optimize-for-size')
  const log = loggerOf(options)
  const { bootstrapKubeconfig: files = [], clusterName: name } = options
  const features = await readAgentGates(options, files.length, command)
  const kubeconfigs = await Promise.all(files.map(readBootstrap))
  const { runAgent } = await import('@orrery/fleet/parts')
  const stop = new AbortController()
  onStopSignal({ stop: () => stop.abort() })
  await withTarget(targetOf(options), async (spoke) => {
    let agent: Agent | undefined
    const metrics = new MetricRegistry()
    addMembershipMetric(metrics, () => agent)
    // One that stands by for another process is as well as one that works.
    const healthy = () => (agent?.state.problem === undefined ? [] : [agent.state.problem])
    const health = await serveHealth(options, { ready: () => [], healthy, metrics }, spoke, log)
    try {
      await runAgent(
        {
          spoke,
          log,
          metrics,
          features,
          ...(name !== undefined && { clusterName: name }),
          ...(kubeconfigs.length > 0 && { bootstrap: { kubeconfigs } }),
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

function addMembershipMetric(metrics: MetricRegistry, agent: () => Agent | undefined): void {
  const joined = metrics.gauge({ name: 'orrery_agent_joined', help: 'Whether the agent has an identity on a hub.' })
  metrics.beforeRender(() => {
    joined.with({}).value = agent()?.state.phase === 'joined' ? 1 : 0
  })
}

/** What to join with, given by people, or by the hub of the fleet when it was last there. */
async function readInvitation(
  { bootstrapKubeconfig }: AgentCommandOptions,
  directory: FleetDirectory,
): Promise<string> {
  const [file] = bootstrapKubeconfig ?? []
  if (file !== undefined) return readBootstrap(file)
  const text = await readIfThere(directory.bootstrap)
  if (text !== undefined) return text
  throw new Error(
    `there is no hub in ${directory.root} to join: start one with ${directory.command('up')} or ` +
      `${directory.command('hub')}, or say with --bootstrap-kubeconfig how to join another`,
  )
}

/** What people join with, looked at before anything is made: an agent would wait for something better. */
async function readBootstrap(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  clientConfigOf(await parseKubeconfig(text, file))
  return text
}

/** What to join with, when the fleet says that its hub is there. */
function whenInvited(supervisor: Supervisor): Promise<JoinInvitation> {
  const invitation = new Promise<JoinInvitation>((resolve, reject) => {
    supervisor.onJoin(({ bootstrapFile, rejoin }) => {
      readFile(bootstrapFile, 'utf8').then((kubeconfig) => resolve({ kubeconfig, rejoin }), reject)
    })
  })
  // Whoever waits for it later hears of a failure then.
  invitation.catch(() => undefined)
  return invitation
}
