import { deleteBootstrapKubeconfig, deleteHubCredentials, readHubMembership } from '@orrery/agent/operations'
import { HUB, readPlan } from '@orrery/fleet'
import { Command } from 'commander'
import { note, print } from '../shared/print.js'
import { plainText } from '../shared/table.js'
import {
  absenceFrom,
  addTargetOptions,
  clusterTarget,
  managedTarget,
  type Target,
  type TargetOptions,
  targetOf,
  withTarget,
} from '../shared/target.js'
import { knowFromClusteradm } from './clusteradm.js'
import { detach } from './detach.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from './ignore-not-found.js'
import { seconds } from './option-parsers.js'
import { DEFAULT_WAIT } from './wait.js'

interface UnjoinOptions extends TargetOptions, IgnoreNotFoundOptions {
  readonly clusterName: string
  readonly hubKubeconfig?: string
  readonly hubContext?: string
  readonly force?: boolean
  readonly wait: number
}

/** `orrery unjoin`. */
export function unjoinCommand(): Command {
  const command = new Command('unjoin')
    .description('Detach a cluster from its hub and remove its hub credentials.')
    .requiredOption('--cluster-name <name>', 'name of the cluster on the hub')
    .option('--hub-kubeconfig <file>', 'kubeconfig of the hub (default: the hub of the local fleet)')
    .option('--hub-context <name>', 'context of the hub in its kubeconfig')
    .option('--force', 'keep the ManagedCluster on the hub and the applied objects on the cluster')
    .option('--wait <seconds>', 'how long to wait until its works are deleted', seconds, DEFAULT_WAIT)
    .addHelpText(
      'after',
      `
--kubeconfig and --context select the managed cluster. The command deletes its works and their objects, then the
ManagedCluster on the hub, then the hub credentials on the cluster. Stop the agent afterwards. A cluster of the local fleet
joins again at the next start.

Examples:
  orrery unjoin --cluster-name cluster2                      detach a cluster of the local fleet
  orrery unjoin --cluster-name edge --kubeconfig edge.kubeconfig --hub-kubeconfig hub.kubeconfig
  orrery unjoin --cluster-name edge --context edge --force   the hub no longer exists`,
    )
    .action(run)
  return knowFromClusteradm(addTargetOptions(addIgnoreNotFoundOption(command)), {
    '--purge-operator [flag]': 'omit it, there is no operator: stop the agent when the cluster has left',
    '--timeout <seconds>': 'use --wait',
  })
}

async function run(options: UnjoinOptions): Promise<void> {
  const { clusterName: name, force = false } = options
  const spoke = managedTarget(options, name)
  const absence = await absenceFrom(spoke.fleet, name)
  if (absence !== undefined) return reportNotFound(absence, options)
  const hub = force ? undefined : await hubOf(options, spoke)
  await withTarget(spoke, async (cluster) => {
    const { clusterName, hasBootstrapKubeconfig, works } = await readHubMembership(cluster)
    if (clusterName !== undefined && clusterName !== name) {
      throw new Error(
        `this cluster has the name ${plainText(clusterName)} on its hub, not ${name}: use that name or another context`,
      )
    }
    if (hub === undefined && works > 0 && !force) {
      throw new Error(
        `${works} works have objects on this cluster: set --hub-kubeconfig to delete them, or keep them with --force`,
      )
    }
    // Without a bootstrap kubeconfig the agent cannot join again, but it can still delete the objects of its works.
    await deleteBootstrapKubeconfig(cluster)
    const wasThere = hub !== undefined && (await withTarget(hub, (client) => detach(client, name, options.wait)))
    await deleteHubCredentials(cluster)
    if (!wasThere && clusterName === undefined && !hasBootstrapKubeconfig) {
      return reportNotFound(
        `cluster ${name} has not joined a hub: run \`orrery get agent-info\` to see its status`,
        options,
      )
    }
    if (hub !== undefined && !wasThere) note(`cluster ${name} not found on the hub`)
    print(`hub credentials of cluster ${name} removed`)
    if (force && works > 0) note(`the objects of ${works} works remain on the cluster`)
  })
  if (hub === undefined) note(`the hub still has a ManagedCluster: run \`orrery delete cluster ${name}\` on the hub`)
}

/** The hub from the options, else the hub of the local fleet that the cluster belongs to. */
async function hubOf({ hubKubeconfig, hubContext }: UnjoinOptions, { fleet }: Target): Promise<Target | undefined> {
  if (hubKubeconfig !== undefined || hubContext !== undefined) {
    return targetOf({
      ...(hubKubeconfig !== undefined && { kubeconfig: hubKubeconfig }),
      ...(hubContext !== undefined && { context: hubContext }),
    })
  }
  if (fleet === undefined) return undefined
  const plan = await readPlan(fleet)
  return plan?.parts.some(({ name }) => name === HUB) === true ? clusterTarget({ data: fleet.root }, HUB) : undefined
}
