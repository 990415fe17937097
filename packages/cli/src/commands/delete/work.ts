import { deleteReplicaSet, deleteWorks, type PlacementRef, placedClusters } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { Command } from 'commander'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { knowFromClusteradm } from '../clusteradm.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from '../ignore-not-found.js'
import { type PlacedOptions, requireClustersOrPlacement } from '../placed.js'
import { nameList, namespacedName } from '../words.js'

interface DeleteWorkOptions extends TargetOptions, PlacedOptions, IgnoreNotFoundOptions {}

/** `orrery delete work`. */
export function deleteWorkCommand(): Command {
  const command = new Command('work')
    .description('Take a work from clusters, with what it put there')
    .argument('<work>', 'name of the work')
    .option('--cluster, --clusters <names>', 'from which ones: a,b', nameList)
    .option('--placement <namespace/name>', 'or from those that a placement has chosen', namespacedName)
    .option('--replicaset', 'with --placement: what was created with --replicaset, for all clusters it is on')
    .addHelpText(
      'after',
      `
A replica set that is there for other placements, too, stays for these. If one of the clusters does not have the work, it is
taken from none, unless --ignore-not-found is given.

Examples:
  orrery delete work web --clusters cluster1,cluster2
  orrery delete work web --placement shop/eu --replicaset
  orrery get works web                                  shows what still blocks it`,
    )
    .action(run)
  return knowFromClusteradm(addTargetOptions(addIgnoreNotFoundOption(command)), {
    '--force': 'leave it out, and see in `orrery get works` what blocks the work',
  })
}

async function run(work: string, options: DeleteWorkOptions, command: Command): Promise<void> {
  requireClustersOrPlacement(command, options)
  const { clusters, placement, replicaset = false } = options
  await withHub(options, async (client) => {
    if (replicaset && placement !== undefined) return takeReplicaSet(client, placement, work, options)
    const targets = clusters ?? (placement === undefined ? [] : await placedClusters(client, placement))
    return takeWorks(client, targets, work, options)
  })
}

async function takeWorks(
  client: KubeClient,
  clusters: readonly string[],
  work: string,
  { ignoreNotFound = false }: IgnoreNotFoundOptions,
): Promise<void> {
  const taken = await deleteWorks(client, clusters, work, { ignoreNotFound })
  for (const cluster of taken) process.stdout.write(`work ${cluster}/${work} is being deleted\n`)
}

async function takeReplicaSet(
  client: KubeClient,
  placement: PlacementRef,
  work: string,
  options: IgnoreNotFoundOptions,
): Promise<void> {
  const { namespace, name } = placement
  const removal = await deleteReplicaSet(client, placement, work)
  if (removal === undefined) return reportNotFound(`there is no replica set ${namespace}/${work}`, options)
  const { names, others } = removal
  const what = others.length === 0 ? 'is being deleted' : `is taken from ${name}, and stays for ${others.join(', ')}`
  for (const part of names) process.stdout.write(`replica set ${namespace}/${part} ${what}\n`)
}
