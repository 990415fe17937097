import { deleteReplicaSet, deleteWorks, type PlacementRef, placedClusters } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { Command } from 'commander'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { type ClusterSelectionOptions, requireClustersOrPlacement } from '../cluster-selection.js'
import { knowFromClusteradm } from '../clusteradm.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from '../ignore-not-found.js'
import { nameList, namespacedName } from '../option-parsers.js'

interface DeleteWorkOptions extends TargetOptions, ClusterSelectionOptions, IgnoreNotFoundOptions {}

/** `orrery delete work`. */
export function deleteWorkCommand(): Command {
  const command = new Command('work')
    .description('Delete a work and its objects on clusters.')
    .argument('<work>', 'name of the work')
    .option('--cluster, --clusters <names>', 'clusters to delete the work from: a,b', nameList)
    .option('--placement <namespace/name>', 'use the clusters that a placement has selected', namespacedName)
    .option('--replicaset', 'delete the ManifestWorkReplicaSet of that name; requires --placement')
    .addHelpText(
      'after',
      `
A replica set with several placements is kept for the other placements. If one of the clusters does not have the work, it is
deleted from none, unless --ignore-not-found is set.

Examples:
  orrery delete work web --clusters cluster1,cluster2
  orrery delete work web --placement shop/eu --replicaset
  orrery get works web                                  show what blocks the deletion`,
    )
    .action(run)
  return knowFromClusteradm(addTargetOptions(addIgnoreNotFoundOption(command)), {
    '--force': 'omit it, and run `orrery get works` to see what blocks the work',
  })
}

async function run(work: string, options: DeleteWorkOptions, command: Command): Promise<void> {
  requireClustersOrPlacement(command, options)
  const { clusters, placement, replicaset = false } = options
  await withHub(options, async (client) => {
    if (replicaset && placement !== undefined) return removeReplicaSet(client, placement, work, options)
    const targets = clusters ?? (placement === undefined ? [] : await placedClusters(client, placement))
    return removeWorks(client, targets, work, options)
  })
}

async function removeWorks(
  client: KubeClient,
  clusters: readonly string[],
  work: string,
  { ignoreNotFound = false }: IgnoreNotFoundOptions,
): Promise<void> {
  const deleted = await deleteWorks(client, clusters, work, { ignoreNotFound })
  for (const cluster of deleted) print(`work ${cluster}/${work} is being deleted`)
}

async function removeReplicaSet(
  client: KubeClient,
  placement: PlacementRef,
  work: string,
  options: IgnoreNotFoundOptions,
): Promise<void> {
  const { namespace, name } = placement
  const removal = await deleteReplicaSet(client, placement, work)
  if (removal === undefined) return reportNotFound(`replica set ${namespace}/${work} not found`, options)
  const { names, others } = removal
  const what =
    others.length === 0 ? 'is being deleted' : `removed from placement ${name}, kept for ${others.join(', ')}`
  for (const part of names) print(`replica set ${namespace}/${part} ${what}`)
}
