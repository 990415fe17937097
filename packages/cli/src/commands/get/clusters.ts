import {
  type ClusterOverview,
  clusterNotFound,
  clusterOverviews,
  clusterSetNotFound,
  clusterSetOverviews,
} from '@orrery/hub/operations'
import type { KubeClient } from '@orrery/kube'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import { note } from '../../shared/print.js'
import type { Column } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { namedOnly } from './named-only.js'

interface GetClustersOptions extends TargetOptions, OutputOptions {
  readonly clusterset?: string
}

/** `orrery get clusters`. */
export function getClustersCommand(): Command {
  const command = new Command('clusters')
    .aliases(['cluster', 'managedclusters', 'managedcluster'])
    .description('Show clusters, their status and their problems.')
    .argument('[cluster...]', 'names of clusters (default: all)')
    .option('--clusterset <name>', 'show only clusters of this cluster set')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery get clusters                                   list all clusters of the local fleet
  orrery get clusters edge1 -o wide                     show one cluster with its capacity
  orrery get clusters --context prod --clusterset eu    list the clusters of a set on another hub`,
    )
    .action(run)
  return addTargetOptions(command)
}

const COLUMNS: readonly Column<ClusterOverview>[] = [
  { title: 'name', value: ({ name }) => name },
  { title: 'accepted', value: ({ state }) => (state.isAccepted ? 'True' : 'False') },
  { title: 'joined', value: ({ state }) => state.joined },
  { title: 'available', value: ({ state }) => state.available },
  { title: 'clusterset', value: ({ clusterSet }) => clusterSet },
  { title: 'version', value: ({ cluster }) => cluster.status?.version?.kubernetes },
  // The hub creates the lease before an agent renews it.
  {
    title: 'last renewal',
    value: ({ state, renewed }) => (state.joined === 'True' && renewed ? ageOf(renewed) : undefined),
  },
  { title: 'age', value: ({ cluster }) => ageOf(cluster.metadata.creationTimestamp) },
  { title: 'cpu', value: ({ cluster }) => cluster.status?.capacity?.cpu, wide: true },
  { title: 'memory', value: ({ cluster }) => cluster.status?.capacity?.memory, wide: true },
  { title: 'taints', value: ({ cluster }) => cluster.spec?.taints?.map(({ key }) => key).join(','), wide: true },
  {
    title: 'urls',
    value: ({ cluster }) => cluster.spec?.managedClusterClientConfigs?.map(({ url }) => url).join(','),
    wide: true,
  },
]

async function run(names: readonly string[], { clusterset, output, ...target }: GetClustersOptions): Promise<void> {
  const { all, members } = await withHub({ ...target, output }, async (client) => {
    const [overviews, inSet] = await Promise.all([clusterOverviews(client), membersOf(client, clusterset)])
    return { all: overviews, members: inSet }
  })
  const rows = namedOnly(all, names, clusterNotFound).filter(({ name }) => members?.has(name) !== false)
  await show(output, {
    rows,
    columns: COLUMNS,
    document: listOf(rows.map(({ cluster }) => cluster)),
    empty:
      members === undefined
        ? 'No clusters found. Run `orrery get token` to print the command that joins one.'
        : `No clusters found in cluster set ${clusterset}.`,
  })
  if (output === 'json' || output === 'yaml') return
  for (const { name, problem } of rows) {
    if (problem !== undefined) note(`${name}: ${problem}`)
  }
}

/** The clusters of a set, by label or by selector; undefined without a set. */
async function membersOf(client: KubeClient, set: string | undefined): Promise<ReadonlySet<string> | undefined> {
  if (set === undefined) return undefined
  const found = (await clusterSetOverviews(client)).find(({ name }) => name === set)
  if (found === undefined) throw new Error(clusterSetNotFound(set))
  return new Set(found.clusters)
}
