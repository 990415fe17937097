import { type ScoreOverview, scoreOverviews } from '@orrery/hub/operations'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import type { Column } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { nameList } from '../option-parsers.js'

interface GetScoresOptions extends TargetOptions, OutputOptions {
  readonly clusters?: readonly string[]
}

/** `orrery get scores`. */
export function getScoresCommand(): Command {
  const command = new Command('scores')
    .aliases(['score', 'addonplacementscores', 'addonplacementscore', 'managedclusterscores', 'managedclusterscore'])
    .description('Show the scores of clusters that placements can use.')
    .argument('[score...]', 'names of AddOnPlacementScores and ManagedClusterScores (default: all)')
    .option('--cluster, --clusters <names>', 'show only scores of these clusters: a,b', nameList)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
The column PRIORITIZER is the value for \`orrery create placement --prioritizers\`.

Examples:
  orrery get scores                          list the scores of all clusters
  orrery get scores --clusters edge1,edge2   list the scores of two clusters
  orrery get scores usage -o yaml            show the objects with the name usage`,
    )
    .action(run)
  return addTargetOptions(command)
}

const COLUMNS: readonly Column<ScoreOverview>[] = [
  { title: 'cluster', value: ({ cluster }) => cluster },
  { title: 'prioritizer', value: ({ coordinate }) => coordinate },
  { title: 'score', value: ({ value }) => value },
  { title: 'expires', value: ({ validUntil }) => expiry(validUntil) },
  { title: 'updated', value: ({ updated }) => (updated === undefined ? undefined : `${ageOf(updated)} ago`) },
  { title: 'object', value: ({ object, name }) => `${object.kind}/${name}`, wide: true },
]

/** `in 5m`, or `expired 3m ago`: placements ignore expired scores. */
function expiry(validUntil: string | undefined, now = new Date()): string | undefined {
  if (validUntil === undefined) return undefined
  const until = new Date(validUntil)
  return until > now ? `in ${ageOf(now.toISOString(), until)}` : `expired ${ageOf(validUntil, now)} ago`
}

async function run(names: readonly string[], { clusters, output, ...target }: GetScoresOptions): Promise<void> {
  const all = await withHub({ ...target, output }, (client) => scoreOverviews(client, { clusters }))
  const unknown = names.filter((name) => !all.some((score) => score.name === name))
  if (unknown.length > 0) {
    throw new Error(`score ${unknown.join(', ')} not found: run \`orrery get scores\` to list scores`)
  }
  const rows = names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
  await show(output, {
    rows,
    columns: COLUMNS,
    document: listOf([...new Set(rows.map(({ object }) => object))]),
    empty: 'No scores found. Add-ons and calculators report them as AddOnPlacementScores and ManagedClusterScores.',
  })
}
