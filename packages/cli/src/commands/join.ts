import type { AgentFeatures } from '@orrery/agent'
import { AGENT_NAMESPACE, BOOTSTRAP_SECRET, CERTIFICATE_SECONDS_KEY, HubKubeconfigKey } from '@orrery/api'
import { fleetDirectory, HUB, readPlan, settlePart, writePrivately } from '@orrery/fleet'
import type { RunningPart } from '@orrery/fleet/parts'
import { type JoinStage, membershipOn, whenJoined } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { Command, InvalidArgumentError, Option } from 'commander'
import { refuseOptions } from '../arguments.js'
import { type PartHost, runPart } from '../embedded-part.js'
import { type FeatureGateOptions, featureGatesOption, readAgentGates } from '../shared/feature-gates.js'
import { addLogOptions, type LogOptions, loggerOf } from '../shared/logging.js'
import { formatDocument } from '../shared/output.js'
import { onStopSignal } from '../shared/stop-signal.js'
import { plainText } from '../shared/table.js'
import { addPartTargetOptions, isElsewhere, type TargetOptions, targetOf, withTarget } from '../shared/target.js'
import { knowFromClusteradm } from './clusteradm.js'
import { hubOfInvitation, type InvitationOptions, invitationFrom } from './invitation.js'
import { addWaitOptions, settleWait, type WaitOptions, withPatience } from './patience.js'

interface JoinOptions extends TargetOptions, LogOptions, InvitationOptions, FeatureGateOptions, WaitOptions {
  readonly clusterName: string
  readonly clientCertExpirationSeconds?: number
  readonly print?: boolean
}

/** `orrery join`. */
export function joinCommand(): Command {
  const command = new Command('join')
    .description('Join a cluster to a hub, and run its agent until Ctrl-C')
    .requiredOption('--hub-apiserver <url>', 'where the hub is')
    .addOption(
      new Option('--hub-token <token>', 'what to join with; `orrery get token` on the hub prints it')
        // Others can see what is typed.
        .env('ORRERY_HUB_TOKEN')
        .makeOptionMandatory(),
    )
    .requiredOption('--cluster-name <name>', 'name of the cluster on the hub')
    .option('--ca-file <file>', 'authority of the hub, in PEM (default: the authorities of the system)')
    .option('--ca-data <base64>', 'the same, as kubeconfigs have it')
    .option('--proxy-url <url>', 'proxy between the cluster and the hub: http, https or socks5')
    .option(
      '--client-cert-expiration-seconds <number>',
      'how long certificates are asked for (default: as long as the hub gives)',
      certificateSeconds,
    )
    .addOption(featureGatesOption())
    .option('--print', 'print what the agent needs on the cluster, for kubectl, and change nothing')
    .addHelpText(
      'after',
      `
--kubeconfig and --context name the cluster that joins. Without them it is an embedded one of the directory given by --data.
Later starts need no token: \`orrery agent\` with the same cluster, and the same feature gates, goes on.

Examples:
  orrery join --hub-apiserver https://hub:6443 --hub-token $TOKEN --ca-file hub.crt --cluster-name edge --kubeconfig edge.kubeconfig
                                   a Kubernetes that is there already
  orrery join --hub-apiserver https://hub:6443 --hub-token $TOKEN --ca-file hub.crt --cluster-name lab --data ./lab
                                   a new embedded cluster
  orrery join … --cluster-name edge --print | kubectl --context edge apply -f -`,
    )
    .action(run)
  addLogOptions(addPartTargetOptions(addWaitOptions(command, 'fail unless the cluster has joined in time')))
  return knowFromClusteradm(command, {
    '--force-internal-endpoint-lookup':
      'leave it out, and give an address with --hub-apiserver that this machine reaches the hub at',
    '--singleton': 'leave it out, as one process is the whole agent',
    '--mode <mode>': 'leave it out, as the agent runs wherever `orrery join` or `orrery agent` does',
    '--dry-run': '--print shows what the agent needs on the cluster, and changes nothing',
  })
}

/** Shorter ones are given by no Kubernetes. */
const SHORTEST_CERTIFICATE = 3_600

function certificateSeconds(text: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= SHORTEST_CERTIFICATE)) throw new InvalidArgumentError(`It is a number from ${SHORTEST_CERTIFICATE}.`)
  return value
}

async function run(given: JoinOptions, command: Command): Promise<void> {
  const options = settleWait(given, command)
  const { clusterName } = options
  const features = await readAgentGates(options, 1, command)
  const kubeconfig = await invitationFrom(options)
  if (options.print === true) {
    refuseOptions(command, ['featureGates'], 'is not kept on the cluster: give it to `orrery agent`')
    process.stdout.write(await agentManifests(kubeconfig, options))
    return
  }
  const hub = await hubOfInvitation(kubeconfig, clusterName)
  const stop = new AbortController()
  const wish = { options, kubeconfig, features }
  const agent = isElsewhere(options) ? runOnGiven(wish, stop) : runEmbedded(wish)
  try {
    // Whichever fails first ends both; the agent goes on after the cluster has joined.
    await Promise.race([agent.ended, follow(hub, agent, options, stop.signal).then(() => agent.ended)])
  } catch (error) {
    await agent.stop()
    throw error
  } finally {
    stop.abort()
    hub.close()
  }
}

/** Who is to join, and how. */
interface JoinWish {
  readonly options: JoinOptions
  readonly kubeconfig: string
  readonly features: AgentFeatures
}

/** An agent at work in this process. */
interface AgentRun {
  /** Resolves when this very agent has an identity on the hub. */
  readonly joined: Promise<void>
  readonly ended: Promise<void>
  stop(): Promise<void>
}

const STAGES: Readonly<Record<JoinStage, (name: string) => string>> = {
  unknown: (name) => `the hub does not know ${name} yet`,
  waiting: (name) => `${name} waits to be let in: on the hub, \`orrery accept --clusters ${name}\``,
  accepted: (name) => `${name} is let in`,
  joined: (name) => `${name} has joined`,
}

/** Tells how far the cluster is. */
async function follow(
  hub: KubeClient,
  { joined }: AgentRun,
  { clusterName, wait }: JoinOptions,
  stop: AbortSignal,
): Promise<void> {
  let stage: JoinStage = 'unknown'
  const tell = (next: JoinStage) => process.stdout.write(`${STAGES[next](clusterName)}\n`)
  const watch = async (signal: AbortSignal) => {
    await whenJoined(hub, clusterName, {
      signal,
      onStage(next) {
        stage = next
        if (next !== 'joined') tell(next)
      },
    })
    // Another cluster may have the name.
    await unlessAborted(joined, signal)
    tell('joined')
  }
  const late = () =>
    stage === 'joined'
      ? `the hub has a cluster ${clusterName}, and has not given this one an identity: the log of the agent says why`
      : STAGES[stage](clusterName)
  try {
    if (wait === undefined) return await watch(stop)
    await withPatience(wait, late, (signal) => watch(AbortSignal.any([signal, stop])))
  } catch (error) {
    // Whoever stops it knows.
    if (!stop.aborted) throw error
  }
}

async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  await Promise.race([promise, aborted])
}

/** A cluster that has joined keeps its name: the agent would otherwise leave the works of the first one behind. */
async function refuseSecondName(spoke: KubeClient, name: string): Promise<void> {
  const { clusterName } = await membershipOn(spoke)
  if (clusterName === undefined || clusterName === name) return
  const known = plainText(clusterName)
  throw new Error(
    `this cluster is ${known} on a hub, not ${name}: use that name, or take it from there first with ` +
      `\`orrery unjoin --cluster-name ${known}\``,
  )
}

function runOnGiven({ options, kubeconfig, features }: JoinWish, stop: AbortController): AgentRun {
  let onJoined: () => void
  const joined = new Promise<void>((resolve) => {
    onJoined = resolve
  })
  const { clusterName, clientCertExpirationSeconds: certificateSeconds } = options
  onStopSignal({ stop: () => stop.abort() })
  const ended = withTarget(targetOf(options), async (spoke) => {
    await refuseSecondName(spoke, clusterName)
    const { runAgent } = await import('@orrery/fleet/parts')
    await runAgent(
      {
        spoke,
        clusterName,
        bootstrap: { kubeconfigs: [kubeconfig] },
        rejoin: true,
        features,
        log: loggerOf(options),
        ...(certificateSeconds !== undefined && { certificateSeconds }),
      },
      {
        leaderElect: true,
        signal: stop.signal,
        onStart: (agent) => void agent.whenJoined(stop.signal).then(onJoined, () => undefined),
      },
    )
  })
  return {
    joined,
    ended,
    async stop() {
      stop.abort()
      await Promise.allSettled([ended])
    },
  }
}

function runEmbedded({ options, kubeconfig, features }: JoinWish): AgentRun {
  let onJoined: () => void
  const joined = new Promise<void>((resolve) => {
    onJoined = resolve
  })
  const { clusterName: name, clientCertExpirationSeconds: certificateSeconds } = options
  const directory = fleetDirectory(options.data)
  let part: Promise<RunningPart> | undefined
  const start = async (report: PartHost['report']) => {
    const { port } = await settlePart(directory, name)
    const hasHub = (await readPlan(directory))?.parts.some((one) => one.name === HUB) === true
    // The next start, by `orrery agent`, goes the same way.
    if (!hasHub) await writePrivately(directory.bootstrap, kubeconfig)
    const { startClusterPart } = await import('@orrery/fleet/parts')
    return startClusterPart({
      directory,
      name,
      port,
      invitation: Promise.resolve({ kubeconfig, rejoin: true }),
      ...(certificateSeconds !== undefined && { certificateSeconds }),
      features,
      log: loggerOf(options),
      // How far it is, people hear from the hub.
      report: (one) => {
        if (one.type !== 'phase') report(one)
        else if (one.phase === 'joined') onJoined()
      },
    })
  }
  const ended = runPart(directory, ({ report }) => {
    part = start(report)
    return part
  })
  return {
    joined,
    ended,
    async stop() {
      const [started] = await Promise.allSettled([part])
      if (started.status === 'fulfilled') await started.value?.close()
    },
  }
}

/** What an agent needs on its cluster to join. */
async function agentManifests(
  kubeconfig: string,
  { clientCertExpirationSeconds: seconds }: JoinOptions,
): Promise<string> {
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: AGENT_NAMESPACE } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: AGENT_NAMESPACE, name: BOOTSTRAP_SECRET },
      type: 'Opaque',
      stringData: {
        [HubKubeconfigKey.Kubeconfig]: kubeconfig,
        ...(seconds !== undefined && { [CERTIFICATE_SECONDS_KEY]: String(seconds) }),
      },
    },
  ]
  const texts = await Promise.all(objects.map((object) => formatDocument('yaml', object)))
  return texts.join('---\n')
}
