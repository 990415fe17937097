import { type AddOnOverview, addOnOverviews } from '@orrery/hub/operations'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import { note } from '../../shared/print.js'
import type { Column } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { nameList } from '../option-parsers.js'

interface GetAddOnsOptions extends TargetOptions, OutputOptions {
  readonly clusters?: readonly string[]
}

/** `orrery get addons`. */
export function getAddOnsCommand(): Command {
  const command = new Command('addons')
    .aliases(['addon', 'managedclusteraddons', 'managedclusteraddon'])
    .description('Show the add-ons of clusters, their status and their problems.')
    .argument('[addon...]', 'names of add-ons (default: all)')
    .option('--cluster, --clusters <names>', 'show only add-ons of these clusters: a,b', nameList)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery get addons                          list the add-ons of all clusters
  orrery get addons helloworld -o wide       show one add-on with the namespaces of its agents
  orrery get addons --clusters edge1,edge2   list the add-ons of two clusters`,
    )
    .action(run)
  return addTargetOptions(command)
}

const COLUMNS: readonly Column<AddOnOverview>[] = [
  { title: 'cluster', value: ({ cluster }) => cluster },
  { title: 'add-on', value: ({ name }) => name },
  { title: 'available', value: ({ available }) => available },
  { title: 'degraded', value: ({ degraded }) => degraded },
  { title: 'progressing', value: ({ progressing }) => progressing },
  { title: 'age', value: ({ addOn }) => ageOf(addOn.metadata.creationTimestamp) },
  { title: 'namespace', value: ({ namespace }) => namespace, wide: true },
]

async function run(names: readonly string[], { clusters, output, ...target }: GetAddOnsOptions): Promise<void> {
  const rows = await withHub({ ...target, output }, (client) =>
    addOnOverviews(client, { clusters, names: names.length === 0 ? undefined : names }),
  )
  await show(output, {
    rows,
    columns: COLUMNS,
    document: listOf(rows.map(({ addOn }) => addOn)),
    empty: 'No add-ons found. Run `orrery addon enable` to enable one on a cluster.',
  })
  if (output !== 'json' && output !== 'yaml') reportProblems(rows)
}

/** Prints why add-ons are not available. */
function reportProblems(rows: readonly AddOnOverview[]): void {
  for (const { cluster, name, problem } of rows) {
    if (problem !== undefined) note(`${cluster}/${name}: ${problem}`)
  }
}
