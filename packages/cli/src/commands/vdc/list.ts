import { organizationOf } from '@orrery/ovim'
import { explanationText, isProblem, type VdcOverview, vdcNotFound, vdcOverviews } from '@orrery/ovim/client'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import { note } from '../../shared/print.js'
import { bytesText, coresText } from '../../shared/quantity-text.js'
import type { Column } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { namedOnly } from '../get/named-only.js'
import { addOrganizationsOptions, type OrganizationsOptions, organizationsOf } from '../organization-options.js'

interface ListOptions extends TargetOptions, OutputOptions, OrganizationsOptions {}

/** `orrery vdc list`. */
export function listVdcsCommand(): Command {
  const command = new Command('list')
    .alias('ls')
    .description('List virtual data centers, their quotas and their problems.')
    .argument('[vdc...]', 'names of virtual data centers (default: all)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery vdc list
  orrery vdc list -A -o wide`,
    )
    .action(run)
  return addTargetOptions(addOrganizationsOptions(command))
}

const ORGANIZATION: Column<VdcOverview> = {
  title: 'org',
  value: ({ vdc }) => organizationOf(vdc.metadata.namespace),
}

const COLUMNS: readonly Column<VdcOverview>[] = [
  { title: 'name', value: ({ vdc }) => vdc.metadata.name },
  { title: 'phase', value: ({ vdc }) => vdc.status?.phase ?? 'Pending' },
  { title: 'zone', value: ({ vdc: { spec, status } }) => status?.zone ?? spec.zoneId },
  { title: 'vms', value: ({ vdc }) => ofLimit(vdc.status?.totalVMs ?? 0, vdc.spec.quota?.virtualMachines) },
  {
    title: 'cpu',
    value: ({ vdc }) => ofLimit(coresText(vdc.status?.resourceUsage?.cpu) ?? 0, coresText(vdc.spec.quota?.cpu)),
  },
  {
    title: 'memory',
    value: ({ vdc }) => ofLimit(bytesText(vdc.status?.resourceUsage?.memory) ?? 0, bytesText(vdc.spec.quota?.memory)),
  },
  { title: 'age', value: ({ vdc }) => ageOf(vdc.metadata.creationTimestamp) },
  { title: 'storage', value: ({ vdc }) => vdc.spec.quota?.storage, wide: true },
  { title: 'network', value: ({ vdc }) => vdc.spec.networkPolicy, wide: true },
  { title: 'workload namespace', value: ({ vdc }) => vdc.status?.workloadNamespace, wide: true },
  { title: 'why', value: ({ explanation }) => explanation.text, wide: true },
]

/** `2/8`, or `2` without a limit. */
export function ofLimit(used: number | string, limit: number | string | undefined): string {
  return limit === undefined ? String(used) : `${used}/${limit}`
}

async function run(names: readonly string[], options: ListOptions): Promise<void> {
  const { output } = options
  await withHub(options, async (client) => {
    const organization = await organizationsOf(client, options)
    const all = (await vdcOverviews(client, organization)).map((row) => ({ ...row, name: row.vdc.metadata.name }))
    const rows = namedOnly(all, names, (...unknown) => vdcNotFound(organization ?? 'any', ...unknown))
    await show(output, {
      rows,
      columns: organization === undefined ? [ORGANIZATION, ...COLUMNS] : COLUMNS,
      document: listOf(rows.map(({ vdc }) => vdc)),
      empty: 'No virtual data centers found. Run `orrery vdc create` to create one.',
    })
    if (output === 'json' || output === 'yaml') return
    for (const { vdc, explanation } of rows.filter((row) => isProblem(row.explanation))) {
      const { namespace, name } = vdc.metadata
      note(`${organizationOf(namespace)}/${name}: ${explanationText(explanation)}`)
    }
  })
}
