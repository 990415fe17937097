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
import { Secret } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { Command, Option } from 'commander'
import { EXIT_FAILED } from '../../failure.js'
import { readManifests } from '../../shared/manifests.js'
import { note, noteText, print } from '../../shared/print.js'
import { plainText } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { type ClusterSelectionOptions, requireClustersOrPlacement } from '../cluster-selection.js'
import { printProblems } from '../get/works.js'
import { eachOf, nameList, namespacedName, workName } from '../option-parsers.js'
import { type Wait, waitOption, withTimeout } from '../wait.js'
import { playedNote } from './played-note.js'

interface CreateWorkOptions extends TargetOptions, ClusterSelectionOptions {
  readonly filename: readonly string[]
  readonly overwrite?: boolean
  readonly seal?: boolean
  readonly wait?: Wait
  readonly waitFor: WorkGoal
}

/** `orrery create work`. */
export function createWorkCommand(): Command {
  const command = new Command('work')
    .description('Create a ManifestWork on clusters.')
    .argument('<work>', 'name of the work', workName)
    .requiredOption(
      '-f, --filename <file>',
      'file or directory with manifests in YAML or JSON, or - for standard input; can be repeated',
      eachOf,
    )
    .option('--clusters <names>', 'clusters to apply the manifests on: a,b', nameList)
    .option('--placement <namespace/name>', 'use the clusters that a placement has selected', namespacedName)
    .option('--replicaset', 'create a ManifestWorkReplicaSet, which follows the placement; requires --placement')
    .option('--overwrite', 'update an existing work of that name')
    .option('--seal', 'encrypt the values of Secrets, so that only the agent of each cluster can read them')
    .addOption(waitOption('wait until the objects are ready on the clusters, and print problems'))
    .addOption(
      new Option('--wait-for <state>', 'state that --wait waits for').choices(['applied', 'ready']).default('ready'),
    )
    .addHelpText(
      'after',
      `
Run \`orrery plan\` with the same file to see what would change on each cluster. The command checks all clusters first: if one
rejects the work, none gets it. A work with sealed Secrets accepts Secrets only with --seal.

With --wait, the exit code is 1 if a manifest cannot be applied, if a rollout fails (pods crash, an image cannot be pulled), or
if the objects are not ready in time. --wait-for applied does not wait for pods.

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
      "error: option '--seal' cannot be used with '--replicaset': sealed values are for one cluster. Omit '--replicaset' to " +
        'create a sealed work for each cluster that the placement has selected',
    )
  }
  if (replicaset && wait !== undefined) command.error("error: option '--wait' cannot be used with '--replicaset'")
  if (wait === undefined && command.getOptionValueSource('waitFor') === 'cli') {
    command.error("error: option '--wait-for <state>' requires '--wait'")
  }
  const manifests = await readManifests(options.filename)
  if (seal && !manifests.some(({ apiVersion, kind }) => apiVersion === Secret.version && kind === Secret.kind)) {
    note('The manifests contain no Secrets: nothing is sealed.')
  }
  const draft = { name, manifests, overwrite, seal }
  await withHub(options, async (client, fleet) => {
    if (replicaset && placement !== undefined) {
      const { change, names } = await createReplicaSet(client, placement, draft)
      for (const part of names) print(`replica set ${placement.namespace}/${part} ${change}`)
      return
    }
    const targets = clusters ?? (placement === undefined ? [] : await placedClusters(client, placement))
    await createWorks(client, targets, draft, {
      onWritten: (cluster, change) => print(`work ${cluster}/${name} ${change}`),
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
  const rollouts = await withTimeout(
    wait,
    (limit) => Array.from(pending, ([cluster, parts]) => unfinished(`${cluster}/${name}`, parts, limit)).join('\n'),
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
  // Problems of pods do not matter with --wait-for applied.
  const shown = goal === 'ready' ? rollouts : failed
  const hasProblems = printProblems(shown.flatMap(({ parts }) => parts))
  if (hasProblems || failed.length > 0) {
    process.exitCode = EXIT_FAILED
    return
  }
  const unknown = clusters.filter((_, index) => rollouts[index]?.stage === 'unknown')
  if (unknown.length > 0) {
    noteText(`The agents of these clusters do not report readiness of objects: ${unknown.join(', ')}.\n`)
  }
  if (goal === 'ready' && fleet !== undefined) {
    const works = clusters.map((cluster, index) => ({ cluster, parts: rollouts[index]?.parts ?? [] }))
    noteText(await playedNote(fleet, works))
  }
  print(unknown.length > 0 ? 'applied' : goal)
}

/** Why a work is not ready, as the agent of the cluster reports. */
function unfinished(work: string, parts: readonly ManifestWork[], limit: string): string {
  const isUnreported = parts.length === 0 || parts.some((part) => !isReported(part, WorkCondition.Applied))
  if (isUnreported)
    return `work ${work} was not applied within ${limit}: the agent does not respond: run \`orrery get clusters\` to see its status`
  const reasons = parts.flatMap(({ status }) => {
    const progressing = findCondition(status?.conditions, WorkCondition.Progressing)
    return progressing === undefined || progressing.status === 'False' ? [] : [progressing.message]
  })
  return plainText(
    `work ${work} was not ready within ${limit}: ${reasons.join('; ') || 'run `orrery get works` to see its status'}`,
  )
}

function isReported({ metadata, status }: ManifestWork, type: string): boolean {
  return findCondition(status?.conditions, type)?.observedGeneration === metadata.generation
}
