import { HUB_LEADER_LEASE, HUB_NAMESPACE, ManagedCluster } from '@orrery/api'
import { candidacy, fleetDirectory, settleHub } from '@orrery/fleet'
import type { Hub } from '@orrery/hub'
import { LeaderElection, MetricRegistry } from '@orrery/kube'
import type { HubWebhooks } from '@orrery/webhook'
import { Command } from 'commander'
import { NEW_STORE, refuseOptions } from './arguments.js'
import { runPart } from './embedded-part.js'
import {
  addWebhookOptions,
  goWithoutWebhooks,
  serveWebhooks,
  WEBHOOK_OPTIONS,
  type WebhookOptions,
  webhookTarget,
} from './hub-webhooks.js'
import { type FeatureGateOptions, featureGatesOption, readGates } from './shared/feature-gates.js'
import { addHealthOption, type HealthOptions, serveHealth } from './shared/health.js'
import { addLogOptions, type LogOptions, loggerOf } from './shared/logging.js'
import { addServingOptions, exposureNotice, hubWish, SERVING_OPTIONS, type ServingOptions } from './shared/serving.js'
import { stopSignal } from './shared/stop-signal.js'
import {
  addInClusterOption,
  addPartTargetOptions,
  isElsewhere,
  NEEDS_EMBEDDED,
  NEEDS_GIVEN,
  type TargetOptions,
  withHub,
} from './shared/target.js'

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
    .description('Run a hub: an embedded one, or the controllers of one on a given Kubernetes')
    .option('--new-store', NEW_STORE)
    .option('--auto-approve', 'accept every cluster that joins with the bootstrap token')
    .addOption(featureGatesOption())
    .option('--no-leader-elect', 'on a given Kubernetes: work even if another process does')
    .addHelpText(
      'after',
      `
Examples:
  orrery hub                                 an embedded hub in the default directory, without clusters
  orrery hub --data ./fleet --port 7443      in another directory, on a port of your choice
  orrery hub --bind-address 0.0.0.0 --advertise-address hub.example.com --port 7443
                                             for clusters on other machines, now and at later starts
  orrery hub --kubeconfig ~/.kube/config --webhook-url https://hub.example.com:9443
                                             on a Kubernetes that \`orrery init\` has prepared, which reaches this machine there
  orrery hub --in-cluster --health-address :8443
                                             the same, in a pod with the service account orrery-hub
  orrery hub --kubeconfig ~/.kube/config     where it reaches nothing: what is written is not checked`,
    )
    .action((options: HubCommandOptions, self: Command) =>
      isElsewhere(options) ? runOnGiven(options, self) : runEmbedded(options, self),
    )
  addHealthOption(addWebhookOptions(addServingOptions(command)))
  return addLogOptions(addInClusterOption(addPartTargetOptions(command)))
}

async function runEmbedded(options: HubCommandOptions, command: Command): Promise<void> {
  refuseOptions(command, ['leaderElect', 'healthAddress', ...WEBHOOK_OPTIONS], NEEDS_GIVEN)
  const log = loggerOf(options)
  const directory = fleetDirectory(options.data)
  const { autoApprove = false, featureGates = '' } = options
  const { parseFeatureGates } = await import('@orrery/hub')
  readGates(options, parseFeatureGates, command)
  await runPart(directory, async ({ report, supervisor }) => {
    const plan = await settleHub(directory, hubWish(options))
    if (supervisor === undefined) process.stderr.write(exposureNotice(plan, autoApprove))
    // Whatever is not needed by all commands is loaded by those that need it.
    const { startHubPart } = await import('@orrery/fleet/parts')
    const { newStore = false } = options
    const { serving = {} } = plan
    const port = options.port ?? plan.port
    return startHubPart({ directory, port, serving, newStore, autoApprove, featureGates, log, report })
  })
}

async function runOnGiven(options: HubCommandOptions, command: Command): Promise<void> {
  refuseOptions(command, [...SERVING_OPTIONS, 'newStore'], NEEDS_EMBEDDED)
  const log = loggerOf(options)
  const target = webhookTarget(options)
  const { BOOTSTRAP_TOKEN_USER, hubControllers, parseFeatureGates, startHub } = await import('@orrery/hub')
  const { autoApprove = false, leaderElect } = options
  const gates = readGates(options, parseFeatureGates, command)
  const features = autoApprove ? { ...gates, ManagedClusterAutoApproval: true } : gates
  await withHub(options, async (client) => {
    // Fails now, with advice, where controllers would only wait for the kinds to appear.
    await client.list(ManagedCluster, { limit: 1 })
    const metrics = new MetricRegistry()
    const open: { close(): Promise<void> }[] = []
    try {
      if (target === undefined) await goWithoutWebhooks(options, client, log)
      if (target === undefined && autoApprove) {
        log.warn('--auto-approve needs the webhooks, which record who created a cluster: approve with `orrery accept`')
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
        controllers: (context) => [...hubControllers(context), ...(webhooks?.controllers ?? [])],
        ...(leaderElect && {
          leadership: new LeaderElection({ client, lease, ...candidacy(), log: log.child('election') }),
        }),
      })
      open.push(hub)
      const health = await serveHealth(options, { ...checksOf(hub, webhooks), metrics }, client, log)
      if (health !== undefined) open.push(health)
      log.info('the hub is at work, or stands by')
      await stopSignal()
    } finally {
      // The hub before its webhooks: what it still writes is still asked about.
      for (const part of open.toReversed()) await part.close()
    }
  })
}

/**
 * A replica that has webhooks to answer with is ready, whatever its controllers see: they may have to wait for the API
 * server, which waits for the webhooks.
 */
function checksOf(hub: Hub, webhooks: HubWebhooks | undefined) {
  return {
    ready: () => (webhooks?.isServing === false ? ['the webhooks have no certificate'] : []),
    healthy() {
      const { controllers, informers } = hub.health
      const problems = [
        ...controllers.filter(({ isBehind }) => isBehind).map(({ name }) => `controller ${name} is behind`),
        ...controllers
          .filter(({ state }) => state !== 'running' && state !== 'standby')
          .map(({ name, state }) => `controller ${name} is ${state}`),
        ...informers
          .filter(({ failingSince }) => failingSince !== undefined)
          .map(({ resource }) => `${resource} cannot be watched`),
      ]
      if (webhooks?.state.phase === 'unreachable') problems.push('the API server does not reach the webhooks')
      return problems
    },
  }
}
