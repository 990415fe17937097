import { type ManifestWork, WorkCondition } from '@orrery/api'
import type { FleetDirectory } from '@orrery/fleet'
import {
  createReplicaSet,
  createWorks,
  placedClusters,
  type WorkGoal,
  type WorkRollout,
  whenWorkRolledOut,
} from '@orrery/hub/operations'
import { findCondition, type KubeClient } from '@orrery/kube'
import { Secret } from '@orrery/kube/kinds'
import { Command, Option } from 'commander'
import { EXIT_FAILED } from '../../failure.js'
import { plainText } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { tellProblems } from '../get/works.js'
import { readManifests } from '../manifests.js'
import { type Wait, waitOption, withPatience } from '../patience.js'
import { type PlacedOptions, requireClustersOrPlacement } from '../placed.js'
import { eachOf, nameList, namespacedName, workName } from '../words.js'
import { playedNote } from './played-note.js'

interface CreateWorkOptions extends TargetOptions, PlacedOptions {
  readonly filename: readonly string[]
  readonly overwrite?: boolean
  readonly seal?: boolean
  readonly wait?: Wait
  readonly waitFor: WorkGoal
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
    .addOption(waitOption('wait until the objects are ready on the clusters, and show what went wrong'))
    .addOption(
      new Option('--wait-for <state>', 'what to wait for: that the objects are applied, or that they are ready')
        .choices(['applied', 'ready'])
        .default('ready'),
    )
    .addHelpText(
      'after',
      `
\`orrery plan\` with the same file shows beforehand what would change on each cluster. All clusters are checked first: if one
cannot have the work, none gets it. A work with sealed Secrets takes Secrets only with --seal.

With --wait the exit code is 1 when something cannot be applied, when a rollout fails (pods crash, an image cannot be pulled), and
when the objects are not ready in time. --wait-for applied does not wait for pods.

Examples:
  orrery create work web -f web.yaml --clusters cluster1,cluster2
  orrery create work web -f ./manifests --clusters cluster1 --overwrite --wait
  orrery create work web -f web.yaml --clusters cluster1 --wait 60 --wait-for applied
  orrery create work db -f password.yaml --clusters cluster1,cluster2 --seal
  kustomize build . | orrery create work web -f - --placement shop/eu --replicaset`,
    )
    .action(run)
  return addTargetOptions(command)
}

async function run(name: string, options: CreateWorkOptions, command: Command): Promise<void> {
  const { clusters, placement, replicaset = false, overwrite = false, seal = false, wait, waitFor } = options
  requireClustersOrPlacement(command, options)
  if (replicaset && seal) {
    command.error(
      "error: option '--seal' cannot be used with '--replicaset': only one cluster can read what is sealed. Without " +
        "'--replicaset' each cluster that the placement has chosen by now gets a work that is sealed for it",
    )
  }
  if (replicaset && wait !== undefined) command.error("error: option '--wait' cannot be used with '--replicaset'")
  if (wait === undefined && command.getOptionValueSource('waitFor') === 'cli') {
    command.error("error: option '--wait-for <state>' says what '--wait' waits for: add --wait")
  }
  const manifests = await readManifests(options.filename)
  if (seal && !manifests.some(({ apiVersion, kind }) => apiVersion === Secret.version && kind === Secret.kind)) {
    process.stderr.write('There is no Secret among the objects: nothing is sealed.\n')
  }
  const draft = { name, manifests, overwrite, seal }
  await withHub(options, async (client, fleet) => {
    if (replicaset && placement !== undefined) {
      const { change, names } = await createReplicaSet(client, placement, draft)
      for (const part of names) process.stdout.write(`replica set ${placement.namespace}/${part} ${change}\n`)
      return
    }
    const targets = clusters ?? (placement === undefined ? [] : await placedClusters(client, placement))
    await createWorks(client, targets, draft, {
      onWritten: (cluster, change) => process.stdout.write(`work ${cluster}/${name} ${change}\n`),
    })
    if (wait !== undefined) await waitUntil(waitFor, client, targets, name, { wait, fleet })
  })
}

async function waitUntil(
  goal: WorkGoal,
  client: KubeClient,
  clusters: readonly string[],
  name: string,
  { wait, fleet }: { readonly wait: Wait; readonly fleet: FleetDirectory | undefined },
): Promise<void> {
  const pending = new Map<string, readonly ManifestWork[]>(clusters.map((cluster) => [cluster, []]))
  const rollouts = await withPatience(
    wait,
    () => Array.from(pending, ([cluster, parts]) => unfinished(`${cluster}/${name}`, parts)).join('\n'),
    (signal) =>
      Promise.all(
        clusters.map(async (cluster) => {
          const onChange = ({ parts }: WorkRollout) => pending.set(cluster, parts)
          const rollout = await whenWorkRolledOut(client, cluster, name, signal, { goal, onChange })
          pending.delete(cluster)
          return rollout
        }),
      ),
  )
  const failed = rollouts.filter(({ stage }) => stage === 'failed')
  // What pods say is of no interest to somebody who does not wait for them.
  const shown = goal === 'ready' ? rollouts : failed
  const hasProblems = tellProblems(shown.flatMap(({ parts }) => parts))
  if (hasProblems || failed.length > 0) {
    process.exitCode = EXIT_FAILED
    return
  }
  const unknown = clusters.filter((_, index) => rollouts[index]?.stage === 'unknown')
  if (unknown.length > 0) {
    process.stderr.write(`The agent of ${unknown.join(', ')} does not report whether objects are ready.\n`)
  }
  if (goal === 'ready' && fleet !== undefined) {
    const works = clusters.map((cluster, index) => ({ cluster, parts: rollouts[index]?.parts ?? [] }))
    process.stderr.write(await playedNote(fleet, works))
  }
  process.stdout.write(unknown.length > 0 ? 'applied\n' : `${goal}\n`)
}

/** What a work still waits for, as the agent of the cluster says. */
function unfinished(work: string, parts: readonly ManifestWork[]): string {
  const isUnheard = parts.length === 0 || parts.some((part) => !isSaid(part, WorkCondition.Applied))
  if (isUnheard) return `work ${work} is not applied: the cluster has not answered, see \`orrery get clusters\``
  const reasons = parts.flatMap(({ status }) => {
    const progressing = findCondition(status?.conditions, WorkCondition.Progressing)
    return progressing === undefined || progressing.status === 'False' ? [] : [progressing.message]
  })
  return plainText(`work ${work} is not ready: ${reasons.join('; ') || 'see `orrery get works`'}`)
}

function isSaid({ metadata, status }: ManifestWork, type: string): boolean {
  return findCondition(status?.conditions, type)?.observedGeneration === metadata.generation
}
