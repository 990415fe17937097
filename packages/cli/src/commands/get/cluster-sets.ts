import { type ClusterSetOverview, clusterSetNotFound, clusterSetOverviews } from '@orrery/hub/operations'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import type { Column } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { namedOnly } from './named-only.js'

/** `orrery get clustersets`. */
export function getClusterSetsCommand(): Command {
  const command = new Command('clustersets')
    .aliases(['clusterset', 'managedclustersets', 'managedclusterset'])
    .description('Show cluster sets, their clusters and the namespaces they are bound to.')
    .argument('[clusterset...]', 'names of cluster sets (default: all)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery get clustersets              list all cluster sets
  orrery get clustersets eu -o wide   show one set with the names of its clusters`,
    )
    .action(run)
  return addTargetOptions(command)
}

const COLUMNS: readonly Column<ClusterSetOverview>[] = [
  { title: 'name', value: ({ name }) => name },
  { title: 'selector', value: ({ clusterSet }) => clusterSet.spec.clusterSelector.selectorType },
  { title: 'clusters', value: ({ clusters }) => clusters.length },
  { title: 'bound namespaces', value: ({ namespaces }) => namespaces.join(',') },
  { title: 'age', value: ({ clusterSet }) => ageOf(clusterSet.metadata.creationTimestamp) },
  { title: 'members', value: ({ clusters }) => clusters.join(','), wide: true },
]

async function run(names: readonly string[], { output, ...target }: TargetOptions & OutputOptions): Promise<void> {
  const all = await withHub({ ...target, output }, (client) => clusterSetOverviews(client))
  const rows = namedOnly(all, names, clusterSetNotFound)
  const document = listOf(rows.map(({ clusterSet }) => clusterSet))
  await show(output, { rows, columns: COLUMNS, document, empty: 'No cluster sets found.' })
}
