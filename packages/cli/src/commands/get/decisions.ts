import type { ClusterDecision } from '@orrery/api'
import { type PlacementOverview, placementNotFound, placementOverviews } from '@orrery/hub/operations'
import { Command } from 'commander'
import { addNamespacesOptions, type NamespacesOptions, namespacesOf } from '../../shared/namespace.js'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import type { Column } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { namedOnly } from './named-only.js'
import { noneIn } from './placements.js'

interface GetDecisionsOptions extends TargetOptions, OutputOptions, NamespacesOptions {}

/** `orrery get decisions`. */
export function getDecisionsCommand(): Command {
  const command = new Command('decisions')
    .aliases(['decision', 'placementdecisions', 'placementdecision'])
    .description('Show the clusters that placements have selected.')
    .argument('[placement...]', 'names of placements (default: all)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
-o json and -o yaml print the PlacementDecisions.

Examples:
  orrery get decisions -A                   list the decisions of all namespaces
  orrery get decisions web -n shop          show the clusters of one placement`,
    )
    .action(run)
  return addTargetOptions(addNamespacesOptions(command))
}

/** One selected cluster of a placement. */
interface Row extends ClusterDecision {
  readonly placement: PlacementOverview
}

const NAMESPACE: Column<Row> = { title: 'namespace', value: ({ placement }) => placement.namespace }

/** The columns of a decision, without its placement. */
export const DECISION_COLUMNS: readonly Column<{ readonly placement: PlacementOverview } & ClusterDecision>[] = [
  { title: 'cluster', value: ({ clusterName }) => clusterName },
  { title: 'group', value: groupOf },
  { title: 'score', value: ({ score }) => score },
  { title: 'reason', value: ({ reason }) => reason },
]

const COLUMNS: readonly Column<Row>[] = [
  { title: 'placement', value: ({ placement }) => placement.name },
  ...DECISION_COLUMNS,
]

/** The index of the decision group, and its name if it has one: `0 (canary)`. */
function groupOf({ placement, clusterName }: Row): string {
  const group = placement.groups.find(({ clusters }) => clusters.includes(clusterName))
  if (group === undefined) return ''
  return group.name === '' ? String(group.index) : `${group.index} (${group.name})`
}

async function run(names: readonly string[], { output, ...options }: GetDecisionsOptions): Promise<void> {
  const namespace = await namespacesOf(options)
  const all = await withHub({ ...options, output }, (client) => placementOverviews(client, { namespace }))
  const chosen = namedOnly(all, names, (...unknown) => placementNotFound(namespace, ...unknown))
  await show(output, {
    rows: chosen.flatMap((placement) => placement.decisions.map((decision) => ({ ...decision, placement }))),
    columns: namespace === undefined ? [NAMESPACE, ...COLUMNS] : COLUMNS,
    document: listOf(chosen.flatMap(({ objects }) => objects)),
    empty: noneIn('decisions', namespace),
  })
}
