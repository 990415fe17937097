import { HUB_NAMESPACE, ManagedCluster } from '@orrery/api'
import { fleetDirectory, HUB, settlePart } from '@orrery/fleet'
import { LeaderElection } from '@orrery/kube'
import { Command } from 'commander'
import { portNumber } from './arguments.js'
import { runPart } from './embeddedpart.js'
import { addLogOptions, type LogOptions, loggerOf } from './shared/logging.js'
import { stopSignal } from './shared/stopsignal.js'
import { addTargetOptions, isElsewhere, type TargetOptions, withHub } from './shared/target.js'

interface HubCommandOptions extends TargetOptions, LogOptions {
  readonly port?: number
  readonly autoApprove?: boolean
  readonly featureGates?: string
  readonly leaderElect: boolean
}

/** `orrery hub`. */
export function hubCommand(): Command {
  const command = new Command('hub')
    .description('Run a hub: an embedded one, or the controllers of one on a given Kubernetes')
    .option('--port <number>', 'port of an embedded hub (default: the one it had)', portNumber)
    .option('--auto-approve', 'let in every cluster that comes with the bootstrap token')
    .option('--feature-gates <list>', 'which optional parts are on: NAME=true,OTHER=false')
    .option('--no-leader-elect', 'on a given Kubernetes: work even if another process does')
    .addHelpText(
      'after',
      `
Examples:
  orrery hub                                 an embedded hub in the default directory, without clusters
  orrery hub --data ./fleet --port 7443      in another directory, on a port of your choice
  orrery hub --kubeconfig ~/.kube/config     on a Kubernetes that \`orrery init\` has prepared`,
    )
    .action((options: HubCommandOptions) => (isElsewhere(options) ? runOnGiven(options) : runEmbedded(options)))
  return addLogOptions(addTargetOptions(command))
}

async function runEmbedded(options: HubCommandOptions): Promise<void> {
  const log = loggerOf(options)
  const directory = fleetDirectory(options.data)
  const { autoApprove = false, featureGates = '' } = options
  await runPart(directory, async ({ report }) => {
    const { port } = await settlePart(directory, HUB)
    // Whatever is not needed by all commands is loaded by those that need it.
    const { startHubPart } = await import('@orrery/fleet/parts')
    return startHubPart({ directory, port: options.port ?? port, autoApprove, featureGates, log, report })
  })
}

async function runOnGiven(options: HubCommandOptions): Promise<void> {
  const log = loggerOf(options)
  const { BOOTSTRAP_TOKEN_USER, parseFeatureGates, startHub } = await import('@orrery/hub')
  const { autoApprove = false, featureGates = '', leaderElect } = options
  const features = parseFeatureGates(featureGates)
  await withHub(options, async (client) => {
    // Fails now, with advice, where controllers would only wait for the kinds to appear.
    await client.list(ManagedCluster, { limit: 1 })
    const lease = { namespace: HUB_NAMESPACE, name: 'orrery-hub' }
    const hub = await startHub({
      client,
      log,
      features: autoApprove ? { ...features, ManagedClusterAutoApproval: true } : features,
      options: { autoApprovedUsers: autoApprove ? [BOOTSTRAP_TOKEN_USER] : [] },
      ...(leaderElect && { leadership: new LeaderElection({ client, lease, log: log.child('election') }) }),
    })
    log.info('the hub is at work, or stands by')
    await stopSignal()
    await hub.close()
  })
}
