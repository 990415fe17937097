import { createReplicaSet, createWorks, placedClusters, whenWorkTried } from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { Secret } from '@orrery/kube/kinds'
import { Command } from 'commander'
import { EXIT_FAILED } from '../../failure.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { tellProblems } from '../get/works.js'
import { readManifests } from '../manifests.js'
import { type Wait, waitOption, withPatience } from '../patience.js'
import { type PlacedOptions, requireClustersOrPlacement } from '../placed.js'
import { eachOf, nameList, namespacedName, workName } from '../words.js'

interface CreateWorkOptions extends TargetOptions, PlacedOptions {
  readonly filename: readonly string[]
  readonly overwrite?: boolean
  readonly seal?: boolean
  readonly wait?: Wait
}

/** `orrery create work`. */
export function createWorkCommand(): Command {
  const command = new Command('work')
    .description('Hand objects to clusters')
    .argument('<work>', 'name of the work', workName)
    .requiredOption(
      '-f, --filename <file>',
      'objects in YAML or JSON: a file, a directory, or - ; may be repeated',
      eachOf,
    )
    .option('--clusters <names>', 'clusters that shall have them: a,b', nameList)
    .option('--placement <namespace/name>', 'or the clusters that a placement has chosen', namespacedName)
    .option('--replicaset', 'with --placement: also those that it chooses later')
    .option('--overwrite', 'change a work of that name')
    .option('--seal', 'make the values of Secrets unreadable to all but the agent of the cluster')
    .addOption(waitOption('wait until the clusters have tried, and show what went wrong'))
    .addHelpText(
      'after',
      `
\`orrery plan\` with the same file shows beforehand what would change on each cluster. All clusters are checked first: if one
cannot have the work, none gets it. A work with sealed Secrets takes Secrets only with --seal.

Examples:
  orrery create work web -f web.yaml --clusters cluster1,cluster2
  orrery create work web -f ./manifests --clusters cluster1 --overwrite --wait
  orrery create work db -f password.yaml --clusters cluster1,cluster2 --seal
  kustomize build . | orrery create work web -f - --placement shop/eu --replicaset`,
    )
    .action(run)
  return addTargetOptions(command)
}

async function run(name: string, options: CreateWorkOptions, command: Command): Promise<void> {
  const { clusters, placement, replicaset = false, overwrite = false, seal = false, wait } = options
  requireClustersOrPlacement(command, options)
  if (replicaset && seal) {
    command.error(
      "error: option '--seal' cannot be used with '--replicaset': only one cluster can read what is sealed. Without " +
        "'--replicaset' each cluster that the placement has chosen by now gets a work that is sealed for it",
    )
  }
  if (replicaset && wait !== undefined) command.error("error: option '--wait' cannot be used with '--replicaset'")
  const manifests = await readManifests(options.filename)
  if (seal && !manifests.some(({ apiVersion, kind }) => apiVersion === Secret.version && kind === Secret.kind)) {
    process.stderr.write('There is no Secret among the objects: nothing is sealed.\n')
  }
  const draft = { name, manifests, overwrite, seal }
  await withHub(options, async (client) => {
    if (replicaset && placement !== undefined) {
      const { change, names } = await createReplicaSet(client, placement, draft)
      for (const part of names) process.stdout.write(`replica set ${placement.namespace}/${part} ${change}\n`)
      return
    }
    const targets = clusters ?? (placement === undefined ? [] : await placedClusters(client, placement))
    await createWorks(client, targets, draft, {
      onWritten: (cluster, change) => process.stdout.write(`work ${cluster}/${name} ${change}\n`),
    })
    if (wait !== undefined) await waitFor(client, targets, name, wait)
  })
}

async function waitFor(client: KubeClient, clusters: readonly string[], name: string, wait: Wait): Promise<void> {
  const pending = new Set(clusters)
  const works = await withPatience(
    wait,
    () => `${[...pending].join(', ')} did not say what came of it: see \`orrery get clusters\``,
    (signal) =>
      Promise.all(
        clusters.map(async (cluster) => {
          const parts = await whenWorkTried(client, cluster, name, signal)
          pending.delete(cluster)
          return parts
        }),
      ),
  )
  if (tellProblems(works.flat())) process.exitCode = EXIT_FAILED
  else process.stdout.write('applied\n')
}
