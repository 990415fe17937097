import { HUB, readPlan } from '@orrery/fleet'
import { forgetHub, membershipOn, withdrawInvitation } from '@orrery/hub/operations'
import { Command } from 'commander'
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
import { detach } from './detaching.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from './ignore-not-found.js'
import { DEFAULT_WAIT } from './patience.js'
import { seconds } from './words.js'

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
    .description('Take a cluster from its hub, and make it forget the hub')
    .requiredOption('--cluster-name <name>', 'name of the cluster on the hub')
    .option('--hub-kubeconfig <file>', 'kubeconfig of a hub that is not of the local fleet')
    .option('--hub-context <name>', 'context of the hub')
    .option('--force', 'leave the hub, and what works have applied, as they are')
    .option('--wait <seconds>', 'how long to wait until its works are gone', seconds, DEFAULT_WAIT)
    .addHelpText(
      'after',
      `
--kubeconfig and --context name the cluster. Its works, and what they applied, go first; then the hub forgets the cluster
and the cluster its identity. Stop its agent afterwards. A cluster of the local fleet joins again at the next start.

Examples:
  orrery unjoin --cluster-name cluster2                      a cluster of the local fleet
  orrery unjoin --cluster-name edge --kubeconfig edge.kubeconfig --hub-kubeconfig hub.kubeconfig
  orrery unjoin --cluster-name edge --context edge --force   the hub is gone for good`,
    )
    .action(run)
  return knowFromClusteradm(addTargetOptions(addIgnoreNotFoundOption(command)), {
    '--purge-operator [flag]': 'leave it out, as there is no operator: stop the agent when the cluster has left',
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
    const { clusterName, isInvited, works } = await membershipOn(cluster)
    if (clusterName !== undefined && clusterName !== name) {
      throw new Error(
        `this cluster is ${plainText(clusterName)} on its hub, not ${name}: use that name, or another context`,
      )
    }
    if (hub === undefined && works > 0 && !force) {
      throw new Error(
        `${works} works have objects on this cluster: name the hub with --hub-kubeconfig, so that they can go, or leave them with --force`,
      )
    }
    // Without a way in the agent cannot come back, but it can still clean up.
    await withdrawInvitation(cluster)
    const wasThere = hub !== undefined && (await withTarget(hub, (client) => detach(client, name, options.wait)))
    await forgetHub(cluster)
    if (!wasThere && clusterName === undefined && !isInvited) {
      return reportNotFound(`cluster ${name} has no hub: see \`orrery get agent-info\``, options)
    }
    if (hub !== undefined && !wasThere) process.stderr.write(`the hub has no cluster ${name}\n`)
    process.stdout.write(`${name} has forgotten its hub\n`)
    if (force && works > 0) process.stderr.write(`${works} works have left their objects on it\n`)
  })
  if (hub === undefined)
    process.stderr.write(`on the hub, \`orrery delete cluster ${name}\` removes what it knows of it\n`)
}

/** Without a hub that is named, that of the local fleet is the one of its clusters, if it has one. */
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
