import {
  joinWork,
  ManagedCluster,
  ManifestWork,
  PART_OF_LABEL,
  partOfValue,
  REPLICA_SET_LABEL,
  WorkCondition,
} from '@orrery/api'
import { clusterNotFound, type ProblemOptions, problemsOf, problemText, replicaSetOf } from '@orrery/hub/operations'
import { keyOf } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { listOf, type OutputOptions, outputOption, show, showDocument } from '../../shared/output.js'
import { printText } from '../../shared/print.js'
import { type Column, plainText } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { nameList } from '../option-parsers.js'
import { appliedOfAll, conditionStatus, feedbackText } from '../work-columns.js'

interface GetWorksOptions extends TargetOptions, OutputOptions {
  readonly clusters?: readonly string[]
}

/** `orrery get works`. */
export function getWorksCommand(): Command {
  const command = new Command('works')
    .aliases(['work', 'manifestworks', 'manifestwork'])
    .description('Show works, their status and their problems.')
    .argument('[work...]', 'names of works (default: all)')
    .option('--cluster, --clusters <names>', 'show only works of these clusters: a,b', nameList)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery get works                          list the works of all clusters with their problems
  orrery get works web --clusters edge1     show one work of one cluster
  orrery get works -o wide                  add replica sets, and feedback values that clusters report`,
    )
    .action(run)
  return addTargetOptions(command)
}

async function run(names: readonly string[], { clusters, output, ...target }: GetWorksOptions): Promise<void> {
  const works = await withHub({ ...target, output }, (client) => worksOf(client, clusters))
  const rows = names.length === 0 ? works : works.filter(({ metadata }) => isNamed(metadata, names))
  if (rows.length === 0 && names.length > 0)
    throw new Error(`work ${names.join(', ')} not found: run \`orrery get works\` to list works`)
  if (output === 'json' || output === 'yaml') return showDocument(output, listOf(rows))
  const whole = joined(rows)
  await show(output, {
    rows: whole,
    columns: COLUMNS,
    empty: 'No works found. Run `orrery create work` to create one.',
  })
  printProblems(whole)
}

/** Matches the name of a work, or of the work that it is a part of. */
function isNamed({ name, labels }: ManifestWork['metadata'], names: readonly string[]): boolean {
  return names.some((one) => one === name || labels?.[PART_OF_LABEL] === partOfValue(one))
}

/** Joins the parts of split works. */
function joined(works: readonly ManifestWork[]): ManifestWork[] {
  const groups = new Map<string, ManifestWork[]>()
  for (const work of works) {
    const { namespace, name, labels } = work.metadata
    const key = `${namespace}/${labels?.[PART_OF_LABEL] ?? name}`
    groups.set(key, [...(groups.get(key) ?? []), work])
  }
  return Array.from(groups.values(), (parts) => (parts.length === 1 ? (parts[0] as ManifestWork) : joinWork(parts)))
}

async function worksOf(client: KubeClient, clusters: readonly string[] | undefined): Promise<ManifestWork[]> {
  const lists = await Promise.all(
    (clusters ?? [undefined]).map(async (namespace) => {
      const list = await client.list(ManifestWork, { namespace })
      if (namespace !== undefined && list.items.length === 0) await requireCluster(client, namespace)
      return list
    }),
  )
  const key = ({ metadata }: ManifestWork) => `${metadata.namespace}/${metadata.name}`
  return lists.flatMap(({ items }) => items).sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** Fails if the cluster does not exist: listing its works returns an empty list too. */
async function requireCluster(client: KubeClient, name: string): Promise<void> {
  if ((await client.find(ManagedCluster, { name })) === undefined) throw new Error(clusterNotFound(name))
}

const COLUMNS: readonly Column<ManifestWork>[] = [
  { title: 'cluster', value: ({ metadata }) => metadata.namespace },
  { title: 'work', value: ({ metadata }) => metadata.name },
  { title: 'applied', value: conditionStatus(WorkCondition.Applied) },
  { title: 'available', value: conditionStatus(WorkCondition.Available) },
  { title: 'progressing', value: conditionStatus(WorkCondition.Progressing) },
  { title: 'degraded', value: conditionStatus(WorkCondition.Degraded) },
  { title: 'manifests', value: appliedOfAll },
  { title: 'age', value: ({ metadata }) => ageOf(metadata.creationTimestamp) },
  { title: 'replicaset', value: replicaSetNameOf, wide: true },
  { title: 'feedback', value: feedbackText, wide: true },
]

/** `namespace/name` of the ManifestWorkReplicaSet that keeps the work. */
function replicaSetNameOf({ metadata }: ManifestWork): string | undefined {
  const set = replicaSetOf(metadata.labels?.[REPLICA_SET_LABEL] ?? '')
  return set && keyOf(set)
}

/** Prints problems, one per line: the manifest, the reason and the fix. */
export function printProblems(works: readonly ManifestWork[], options?: ProblemOptions): boolean {
  const lines = works.flatMap((work) => {
    const { namespace, name } = work.metadata
    return problemsOf(work, options).map((problem) => plainText(`${namespace}/${name}: ${problemText(problem)}`))
  })
  if (lines.length > 0) printText(`\nProblems:\n${lines.map((line) => `  ${line}\n`).join('')}`)
  return lines.length > 0
}
