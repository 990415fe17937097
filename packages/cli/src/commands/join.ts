import type { AgentFeatures } from '@orrery/agent'
import { readHubMembership } from '@orrery/agent/operations'
import { AGENT_NAMESPACE, BOOTSTRAP_SECRET, CERTIFICATE_SECONDS_KEY, HubKubeconfigKey } from '@orrery/api'
import { ensurePart, fleetDirectory, HUB, readPlan, writePrivately } from '@orrery/fleet'
import type { RunningPart } from '@orrery/fleet/parts'
import { type JoinStage, whenJoined } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { unlessAborted } from '@orrery/kube/process'
import { Command, InvalidArgumentError, Option } from 'commander'
import { refuseOptions } from '../arguments.js'
import { type PartHost, runPart } from '../embedded-part.js'
import { type FeatureGateOptions, featureGatesOption, readAgentGates } from '../shared/feature-gates.js'
import { addLogOptions, type LogOptions, loggerOf } from '../shared/logging.js'
import { formatDocument } from '../shared/output.js'
import { print, printDocument } from '../shared/print.js'
import { onStopSignal } from '../shared/stop-signal.js'
import { plainText } from '../shared/table.js'
import { addPartTargetOptions, isElsewhere, type TargetOptions, targetOf, withTarget } from '../shared/target.js'
import { type BootstrapOptions, bootstrapKubeconfigFrom, connectToHub } from './bootstrap-kubeconfig.js'
import { knowFromClusteradm } from './clusteradm.js'
import { addWaitOptions, resolveWait, type WaitOptions, withTimeout } from './wait.js'

interface JoinOptions extends TargetOptions, LogOptions, BootstrapOptions, FeatureGateOptions, WaitOptions {
  readonly clusterName: string
  readonly clientCertExpirationSeconds?: number
  readonly print?: boolean
}

/** `orrery join`. */
export function joinCommand(): Command {
  const command = new Command('join')
    .description('Join a cluster to a hub and run its agent until Ctrl-C.')
    .requiredOption('--hub-apiserver <url>', 'URL of the API server of the hub')
    .addOption(
      new Option('--hub-token <token>', 'join token; run `orrery get token` on the hub to print it')
        // Other users of the machine can see command-line arguments.
        .env('ORRERY_HUB_TOKEN')
        .makeOptionMandatory(),
    )
    .requiredOption('--cluster-name <name>', 'name of the cluster on the hub')
    .option('--ca-file <file>', "CA certificate of the hub, in PEM (default: the system's authorities)")
    .option('--ca-data <base64>', 'CA certificate of the hub, base64-encoded PEM as in a kubeconfig')
    .option('--proxy-url <url>', 'URL of a proxy between the cluster and the hub: http, https or socks5')
    .option(
      '--client-cert-expiration-seconds <number>',
      "lifetime of client certificates to request (default: the hub's)",
      certificateSeconds,
    )
    .addOption(featureGatesOption())
    .option('--print', 'print the manifests that the agent needs on the cluster, and change nothing')
    .addHelpText(
      'after',
      `
--kubeconfig and --context select the cluster that joins. Without them, an embedded cluster in the directory --data joins.
To start the agent again, run \`orrery agent\` with the same cluster and feature gates. It needs no token.

Examples:
  orrery join --hub-apiserver https://hub:6443 --hub-token $TOKEN --ca-file hub.crt --cluster-name edge --kubeconfig edge.kubeconfig
                                   join an existing cluster
  orrery join --hub-apiserver https://hub:6443 --hub-token $TOKEN --ca-file hub.crt --cluster-name lab --data ./lab
                                   join a new embedded cluster
  orrery join … --cluster-name edge --print | kubectl --context edge apply -f -`,
    )
    .action(run)
  addLogOptions(addPartTargetOptions(addWaitOptions(command, 'fail if the cluster does not join in time')))
  return knowFromClusteradm(command, {
    '--force-internal-endpoint-lookup': 'omit it, and set --hub-apiserver to an address that this machine can reach',
    '--singleton': 'omit it, the agent is one process',
    '--mode <mode>': 'omit it, the agent runs where `orrery join` or `orrery agent` runs',
    '--dry-run': 'use --print to print the manifests without changes',
  })
}

/** Signers issue no certificates with a shorter lifetime. */
const MIN_CERTIFICATE = 3_600

function certificateSeconds(text: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= MIN_CERTIFICATE)) throw new InvalidArgumentError(`Use a number of seconds from ${MIN_CERTIFICATE}.`)
  return value
}

async function run(given: JoinOptions, command: Command): Promise<void> {
  const options = resolveWait(given, command)
  const { clusterName } = options
  const features = await readAgentGates(options, 1, command, !isElsewhere(options))
  const kubeconfig = await bootstrapKubeconfigFrom(options)
  if (options.print === true) {
    refuseOptions(command, ['featureGates'], 'is not stored on the cluster: pass it to `orrery agent`')
    printDocument(await agentManifests(kubeconfig, options))
    return
  }
  const hub = await connectToHub(kubeconfig, clusterName)
  const stop = new AbortController()
  const request = { options, kubeconfig, features }
  const agent = isElsewhere(options) ? runOnExistingCluster(request, stop) : runEmbedded(request)
  try {
    // The first failure ends both. The agent keeps running after the cluster has joined.
    await Promise.race([agent.ended, follow(hub, agent, options, stop.signal).then(() => agent.ended)])
  } catch (error) {
    await agent.stop()
    throw error
  } finally {
    stop.abort()
    hub.close()
  }
}

/** The cluster that joins, and its bootstrap kubeconfig. */
interface JoinRequest {
  readonly options: JoinOptions
  readonly kubeconfig: string
  readonly features: AgentFeatures
}

/** A running agent in this process. */
interface AgentRun {
  /** Resolves when this agent has a certificate of the hub. */
  readonly joined: Promise<void>
  readonly ended: Promise<void>
  stop(): Promise<void>
}

const STAGES: Readonly<Record<JoinStage, (name: string) => string>> = {
  unknown: (name) => `cluster ${name} is not registered yet`,
  waiting: (name) => `cluster ${name} is not accepted yet: run \`orrery accept --clusters ${name}\` on the hub`,
  accepted: (name) => `cluster ${name} is accepted`,
  joined: (name) => `cluster ${name} has joined`,
}

/** Error messages if the cluster does not join in time, by the last stage. */
const LATE: Readonly<Record<JoinStage, (name: string, limit: string) => string>> = {
  unknown: (name, limit) => `cluster ${name} was not registered within ${limit}: check the log of its agent`,
  waiting: (name, limit) =>
    `cluster ${name} was not accepted within ${limit}: run \`orrery accept --clusters ${name}\` on the hub`,
  accepted: (name, limit) =>
    `cluster ${name} is accepted, but did not join within ${limit}: check the log of its agent`,
  joined: (name, limit) =>
    `the hub has a cluster ${name}, but issued no certificate to this agent within ${limit}: check the log of the agent`,
}

/** Prints the stages of registration until the cluster has joined. */
async function follow(
  hub: KubeClient,
  { joined }: AgentRun,
  { clusterName, wait }: JoinOptions,
  stop: AbortSignal,
): Promise<void> {
  let stage: JoinStage = 'unknown'
  const printStage = (next: JoinStage) => print(STAGES[next](clusterName))
  const watch = async (signal: AbortSignal) => {
    await whenJoined(hub, clusterName, {
      signal,
      onStage(next) {
        stage = next
        if (next !== 'joined') printStage(next)
      },
    })
    // Another cluster may have the same name.
    await unlessAborted(joined, signal)
    printStage('joined')
  }
  const late = (limit: string) => LATE[stage](clusterName, limit)
  try {
    if (wait === undefined) return await watch(stop)
    await withTimeout(wait, late, (signal) => watch(AbortSignal.any([signal, stop])))
  } catch (error) {
    // A stop is not an error.
    if (!stop.aborted) throw error
  }
}

/** Rejects another name for a cluster that has joined: the agent would leave the works of the first name behind. */
async function refuseSecondName(spoke: KubeClient, name: string): Promise<void> {
  const { clusterName } = await readHubMembership(spoke)
  if (clusterName === undefined || clusterName === name) return
  const known = plainText(clusterName)
  throw new Error(
    `this cluster has joined a hub as ${known}, not ${name}: use that name, or first run ` +
      `\`orrery unjoin --cluster-name ${known}\``,
  )
}

function runOnExistingCluster({ options, kubeconfig, features }: JoinRequest, stop: AbortController): AgentRun {
  let onJoined: () => void
  const joined = new Promise<void>((resolve) => {
    onJoined = resolve
  })
  const { clusterName, clientCertExpirationSeconds: certificateSeconds } = options
  onStopSignal({ stop: () => stop.abort() })
  const ended = withTarget({ ...targetOf(options), requester: 'orrery-agent' }, async (spoke) => {
    await refuseSecondName(spoke, clusterName)
    const { runAgent } = await import('@orrery/agent')
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

function runEmbedded({ options, kubeconfig, features }: JoinRequest): AgentRun {
  let onJoined: () => void
  const joined = new Promise<void>((resolve) => {
    onJoined = resolve
  })
  const { clusterName: name, clientCertExpirationSeconds: certificateSeconds } = options
  const directory = fleetDirectory(options.data)
  let part: Promise<RunningPart> | undefined
  const start = async (report: PartHost['report']) => {
    const { port } = await ensurePart(directory, name)
    const hasHub = (await readPlan(directory))?.parts.some((one) => one.name === HUB) === true
    // The next start, with `orrery agent`, uses the same bootstrap kubeconfig.
    if (!hasHub) await writePrivately(directory.bootstrap, kubeconfig)
    const { startClusterPart } = await import('@orrery/fleet/parts')
    return startClusterPart({
      directory,
      name,
      port,
      joinCredentials: Promise.resolve({ kubeconfig, rejoin: true }),
      ...(certificateSeconds !== undefined && { certificateSeconds }),
      features,
      log: loggerOf(options),
      // `follow` prints the stages as the hub reports them.
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

/** The manifests that an agent needs on its cluster to join. */
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
