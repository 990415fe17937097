import { deleteReplicaSet, deleteWork, type PlacementRef, placedClusters } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { Command } from 'commander'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { knowFromClusteradm } from '../clusteradm.js'
import { type PlacedOptions, requireClustersOrPlacement } from '../placed.js'
import { nameList, namespacedName } from '../words.js'

interface DeleteWorkOptions extends TargetOptions, PlacedOptions {}

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
A replica set that is there for other placements, too, stays for these.

Examples:
  orrery delete work web --clusters cluster1,cluster2
  orrery delete work web --placement shop/eu --replicaset
  orrery get works web                                  shows what still blocks it`,
    )
    .action(run)
  return knowFromClusteradm(addTargetOptions(command), {
    '--force': 'leave it out, and see in `orrery get works` what blocks the work',
  })
}

async function run(work: string, options: DeleteWorkOptions, command: Command): Promise<void> {
  requireClustersOrPlacement(command, options)
  const { clusters, placement, replicaset = false } = options
  await withHub(options, async (client) => {
    if (replicaset && placement !== undefined) return takeReplicaSet(client, placement, work)
    return takeWorks(client, clusters ?? (placement === undefined ? [] : await placedClusters(client, placement)), work)
  })
}

async function takeWorks(client: KubeClient, clusters: readonly string[], work: string): Promise<void> {
  const found = await Promise.all(clusters.map((cluster) => deleteWork(client, cluster, work)))
  for (const [at, cluster] of clusters.entries()) {
    if (found[at] === true) process.stdout.write(`work ${cluster}/${work} is being deleted\n`)
  }
  const without = clusters.filter((_, at) => found[at] === false)
  if (without.length > 0) throw new Error(`there is no work ${work} on ${without.join(', ')}`)
}

async function takeReplicaSet(client: KubeClient, placement: PlacementRef, work: string): Promise<void> {
  const { namespace, name } = placement
  const removal = await deleteReplicaSet(client, placement, work)
  if (removal === undefined) throw new Error(`there is no replica set ${namespace}/${work}`)
  const { names, others } = removal
  const what = others.length === 0 ? 'is being deleted' : `is taken from ${name}, and stays for ${others.join(', ')}`
  for (const part of names) process.stdout.write(`replica set ${namespace}/${part} ${what}\n`)
}
