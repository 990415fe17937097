import { findCondition } from '@orrery/kinds/values'
import { Zone } from '@orrery/ovim'
import { zoneProblem } from '@orrery/ovim/client'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import { note } from '../../shared/print.js'
import { bytesText, coresText } from '../../shared/quantity-text.js'
import type { Column } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { namedOnly } from '../get/named-only.js'
import { ofLimit } from '../vdc/list.js'

/** `orrery zone list`. */
export function listZonesCommand(): Command {
  const command = new Command('list')
    .alias('ls')
    .description('List zones: the clusters that run virtual machines, whether their agents report, and what is in use.')
    .argument('[zone...]', 'names of zones (default: all)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery zone list
  orrery zone list -o wide`,
    )
    .action(run)
  return addTargetOptions(command)
}

const COLUMNS: readonly Column<Zone>[] = [
  { title: 'name', value: ({ metadata }) => metadata.name },
  { title: 'connected', value: (zone) => conditionOf(zone, 'AgentConnected') },
  { title: 'schedulable', value: (zone) => conditionOf(zone, 'Schedulable') },
  { title: 'vms', value: ({ status }) => status?.vmCount },
  { title: 'vdcs', value: ({ status }) => status?.vdcCount },
  {
    title: 'cpu',
    value: ({ status }) => ofLimit(coresText(status?.usage?.cpu) ?? 0, coresText(status?.capacity?.cpu)),
  },
  {
    title: 'memory',
    value: ({ status }) => ofLimit(bytesText(status?.usage?.memory) ?? 0, bytesText(status?.capacity?.memory)),
  },
  { title: 'age', value: ({ metadata }) => ageOf(metadata.creationTimestamp) },
  { title: 'cluster', value: ({ metadata, spec }) => spec?.clusterName ?? metadata.name, wide: true },
  { title: 'agent', value: ({ status }) => status?.agent?.status, wide: true },
  { title: 'version', value: ({ status }) => status?.agent?.version, wide: true },
]

export function conditionOf({ status }: Zone, type: string): string {
  return findCondition(status?.conditions, type)?.status ?? 'Unknown'
}

export function zoneNotFound(...names: readonly string[]): string {
  return `zone ${names.join(', ')} not found: run \`orrery zone list\`, or \`orrery addon enable ovim\` to make a cluster a zone`
}

async function run(names: readonly string[], options: TargetOptions & OutputOptions): Promise<void> {
  const { output } = options
  await withHub(options, async (client) => {
    const { items } = await client.list(Zone)
    const all = items.map((zone) => ({ zone, name: zone.metadata.name })).sort((a, b) => (a.name < b.name ? -1 : 1))
    const rows = namedOnly(all, names, (...unknown) => zoneNotFound(...unknown)).map(({ zone }) => zone)
    await show(output, {
      rows,
      columns: COLUMNS,
      document: listOf(rows),
      empty: 'No zones found. Run `orrery addon enable ovim --clusters NAME` to run virtual machines on a cluster.',
    })
    if (output === 'json' || output === 'yaml') return
    const zones = new Map(items.map((zone) => [zone.metadata.name, zone]))
    for (const { metadata } of rows) {
      const problem = zoneProblem(metadata.name, zones)
      if (problem !== undefined) note(problem)
    }
  })
}
