import { HUB_LEADER_LEASE, HUB_NAMESPACE, ManagedCluster } from '@orrery/api'
import { ensureHub, fleetDirectory, LOOPBACK, readPlan } from '@orrery/fleet'
import type { Hub } from '@orrery/hub'
import { candidateIdentity, LeaderElection } from '@orrery/kube/election'
import { MetricRegistry } from '@orrery/kube/metrics'
import type { HubWebhooks } from '@orrery/webhook'
import { Command } from 'commander'
import { NEW_STORE, refuseOptions } from './arguments.js'
import { runPart } from './embedded-part.js'
import {
  addWebhookOptions,
  runWithoutWebhooks,
  serveWebhooks,
  WEBHOOK_OPTIONS,
  type WebhookOptions,
  webhookTarget,
} from './hub-webhooks.js'
import { placementDebugRoute } from './placement-debug.js'
import { type FeatureGateOptions, featureGatesOption, readGates } from './shared/feature-gates.js'
import { addHealthOption, type HealthOptions, serveHealth } from './shared/health.js'
import { addLogOptions, type LogOptions, loggerOf } from './shared/logging.js'
import { noteText } from './shared/print.js'
import {
  addServingOptions,
  exposureNotice,
  hubSettings,
  SERVING_OPTIONS,
  type ServingOptions,
} from './shared/serving.js'
import { stopSignal } from './shared/stop-signal.js'
import {
  addInClusterOption,
  addPartTargetOptions,
  isElsewhere,
  NEEDS_EMBEDDED,
  NEEDS_EXISTING_CLUSTER,
  type TargetOptions,
  withHub,
} from './shared/target.js'
import { explainListen } from './start-failure.js'

interface HubCommandOptions
  extends TargetOptions,
    LogOptions,
    WebhookOptions,
    HealthOptions,
    FeatureGateOptions,
    ServingOptions {
  readonly autoApprove?: boolean
  readonly newStore?: boolean
  readonly leaderElect: boolean
}

/** `orrery hub`. */
export function hubCommand(): Command {
  const command = new Command('hub')
    .description('Run an embedded hub, or the hub controllers for an existing cluster.')
    .option('--new-store', NEW_STORE)
    .option('--auto-approve', 'accept every cluster that joins with the bootstrap token')
    .addOption(featureGatesOption())
    .option('--no-leader-elect', 'on an existing cluster: run without leader election')
    .addHelpText(
      'after',
      `
Examples:
  orrery hub                                 run an embedded hub in the default directory, without clusters
  orrery hub --data ./fleet --port 7443      use another directory and port
  orrery hub --bind-address 0.0.0.0 --advertise-address hub.example.com --port 7443
                                             accept connections from clusters on other machines, now and at later starts
  orrery hub --kubeconfig ~/.kube/config --webhook-url https://hub.example.com:9443
                                             run the controllers for a cluster prepared by \`orrery init\`; its API
                                             server calls the webhooks at this URL
  orrery hub --in-cluster --health-address :8443
                                             run in a pod with the service account orrery-hub
  orrery hub --kubeconfig ~/.kube/config     run without webhooks: the API server validates no writes`,
    )
    .action((options: HubCommandOptions, self: Command) =>
      isElsewhere(options) ? runOnExistingCluster(options, self) : runEmbedded(options, self),
    )
  addHealthOption(addWebhookOptions(addServingOptions(command)))
  return addLogOptions(addInClusterOption(addPartTargetOptions(command)))
}

async function runEmbedded(options: HubCommandOptions, command: Command): Promise<void> {
  refuseOptions(command, ['leaderElect', 'healthAddress', ...WEBHOOK_OPTIONS], NEEDS_EXISTING_CLUSTER)
  const log = loggerOf(options)
  const directory = fleetDirectory(options.data)
  const { autoApprove = false, featureGates = '' } = options
  const { parseFeatureGates } = await import('@orrery/hub')
  readGates(options, parseFeatureGates, command)
  await runPart(directory, async ({ report, supervisor, stopping: signal }) => {
    const plan = await ensureHub(directory, hubSettings(options))
    if (supervisor === undefined) noteText(exposureNotice(plan, autoApprove))
    // Loaded on demand, so that other commands start faster.
    const { startHubPart } = await import('@orrery/fleet/parts')
    const { newStore = false } = options
    const { serving = {} } = plan
    const port = options.port ?? plan.port
    const { addOnNamespaces = [], maestro, ovim } = (await readPlan(directory)) ?? {}
    try {
      const start = {
        directory,
        port,
        serving,
        newStore,
        autoApprove,
        featureGates,
        addOnNamespaces,
        ...(maestro !== undefined && { maestro }),
        ...(ovim !== undefined && { ovim }),
        signal,
        log,
        report,
      }
      return await startHubPart(start)
    } catch (error) {
      const { bindAddress: host = LOOPBACK } = serving
      throw explainListen(error, { host, port, portOption: '--port', hostOption: '--bind-address' })
    }
  })
}

async function runOnExistingCluster(options: HubCommandOptions, command: Command): Promise<void> {
  refuseOptions(command, [...SERVING_OPTIONS, 'newStore'], NEEDS_EMBEDDED)
  const log = loggerOf(options)
  const target = webhookTarget(options)
  const { BOOTSTRAP_TOKEN_USER, hubControllers, parseFeatureGates, startHub } = await import('@orrery/hub')
  const { autoApprove = false, leaderElect } = options
  const gates = readGates(options, parseFeatureGates, command)
  if (gates.PlacementDebugServer && options.healthAddress === undefined) {
    command.error('error: --feature-gates: PlacementDebugServer requires --health-address on an existing cluster')
  }
  const features = autoApprove ? { ...gates, ManagedClusterAutoApproval: true } : gates
  await withHub({ ...options, requester: 'orrery-hub' }, async (client) => {
    // Fails with advice if the CRDs are missing. Controllers would wait for them without an error.
    await client.list(ManagedCluster, { limit: 1 })
    const metrics = new MetricRegistry()
    const open: { close(): Promise<void> }[] = []
    try {
      if (target === undefined) await runWithoutWebhooks(options, client, log)
      if (target === undefined && autoApprove) {
        log.warn(
          '--auto-approve has no effect without webhooks, which record who created a cluster: run `orrery accept`',
        )
      }
      const webhookLog = log.child('webhooks')
      const webhooks = target && (await serveWebhooks(options, target, { client, features, log: webhookLog, metrics }))
      if (webhooks !== undefined) open.push(webhooks)
      const lease = { namespace: HUB_NAMESPACE, name: HUB_LEADER_LEASE }
      const hub = await startHub({
        client,
        log,
        metrics,
        features,
        options: { autoApprovedUsers: autoApprove ? [BOOTSTRAP_TOKEN_USER] : [] },
        controllers: (context) => [...hubControllers(context), ...(webhooks?.controllers(context) ?? [])],
        ...(leaderElect && {
          leadership: new LeaderElection({ client, lease, ...candidateIdentity(), log: log.child('election') }),
        }),
      })
      open.push(hub)
      const routes = features.PlacementDebugServer ? [await placementDebugRoute(client)] : []
      const health = await serveHealth(options, { ...checksOf(hub, webhooks), metrics, routes }, client, log)
      if (health !== undefined) open.push(health)
      log.info('the hub controllers have started')
      await stopSignal()
    } finally {
      // Close the controllers before the webhooks, which validate their last writes.
      for (const part of open.toReversed()) await part.close()
    }
  })
}

/**
 * A replica is ready when its webhooks can serve, whatever the state of its controllers: the controllers may wait for the
 * API server, which waits for the webhooks.
 */
function checksOf(hub: Hub, webhooks: HubWebhooks | undefined) {
  return {
    ready: () => (webhooks?.isServing === false ? ['the webhooks have no certificate'] : []),
    healthy() {
      const problems = [...hub.health.problems]
      if (webhooks?.state.phase === 'unreachable') problems.push('the API server does not reach the webhooks')
      return problems
    },
  }
}
