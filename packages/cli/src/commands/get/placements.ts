import { PlacementCondition } from '@orrery/api'
import { type PlacementOverview, placementNotFound, placementOverviews } from '@orrery/hub/operations'
import { findCondition } from '@orrery/kinds/values'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { addNamespacesOptions, type NamespacesOptions, namespacesOf } from '../../shared/namespace.js'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import { note } from '../../shared/print.js'
import type { Column } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { namedOnly } from './named-only.js'

interface GetPlacementsOptions extends TargetOptions, OutputOptions, NamespacesOptions {}

/** `orrery get placements`. */
export function getPlacementsCommand(): Command {
  const command = new Command('placements')
    .alias('placement')
    .description('Show placements, the number of clusters they have selected, and their problems.')
    .argument('[placement...]', 'names of placements (default: all)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery get placements -A                  list the placements of all namespaces
  orrery get placements web -n shop -o wide show one placement with the names of its clusters`,
    )
    .action(run)
  return addTargetOptions(addNamespacesOptions(command))
}

const NAMESPACE: Column<PlacementOverview> = { title: 'namespace', value: ({ namespace }) => namespace }

const COLUMNS: readonly Column<PlacementOverview>[] = [
  { title: 'name', value: ({ name }) => name },
  { title: 'satisfied', value: (row) => satisfied(row)?.status },
  { title: 'reason', value: (row) => satisfied(row)?.reason },
  { title: 'selected', value: ({ decisions }) => decisions.length },
  { title: 'requested', value: ({ placement }) => placement.spec.numberOfClusters ?? 'all' },
  { title: 'age', value: ({ placement }) => ageOf(placement.metadata.creationTimestamp) },
  { title: 'cluster sets', value: ({ placement }) => placement.spec.clusterSets?.join(',') ?? 'all bound', wide: true },
  { title: 'groups', value: ({ groups }) => groups.length, wide: true },
  { title: 'clusters', value: ({ decisions }) => decisions.map((one) => one.clusterName).join(','), wide: true },
]

function satisfied({ placement }: PlacementOverview) {
  return findCondition(placement.status?.conditions, PlacementCondition.Satisfied)
}

async function run(names: readonly string[], { output, ...options }: GetPlacementsOptions): Promise<void> {
  const namespace = await namespacesOf(options)
  const all = await withHub({ ...options, output }, (client) => placementOverviews(client, { namespace }))
  const rows = namedOnly(all, names, (...unknown) => placementNotFound(namespace, ...unknown))
  await show(output, {
    rows,
    columns: namespace === undefined ? [NAMESPACE, ...COLUMNS] : COLUMNS,
    document: listOf(rows.map(({ placement }) => placement)),
    empty: noneIn('placements', namespace),
  })
  if (output === 'json' || output === 'yaml') return
  for (const { namespace: home, name, problem } of rows) {
    if (problem !== undefined) note(`${home}/${name}: ${problem}`)
  }
}

/** The text for an empty table. */
export function noneIn(what: string, namespace: string | undefined): string {
  if (namespace === undefined) return `No ${what} found. Run \`orrery create placement\` to create a placement.`
  return `No ${what} found in namespace ${namespace}. Use -A for all namespaces.`
}
