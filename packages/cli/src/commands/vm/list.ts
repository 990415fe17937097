import { organizationOf } from '@orrery/ovim'
import { explanationText, isProblem, machineNotFound, machineOverviews } from '@orrery/ovim/client'
import { Command } from 'commander'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import { note } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { namedOnly } from '../get/named-only.js'
import { addOrganizationsOptions, type OrganizationsOptions, organizationsOf } from '../organization-options.js'
import { MACHINE_COLUMNS, ORGANIZATION_COLUMN } from './columns.js'

interface ListOptions extends TargetOptions, OutputOptions, OrganizationsOptions {}

/** `orrery vm list`. */
export function listMachinesCommand(): Command {
  const command = new Command('list')
    .alias('ls')
    .description('List virtual machines, and say why one does not run and what to do.')
    .argument('[vm...]', 'names of virtual machines (default: all)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery vm list                 list the virtual machines of your organization
  orrery vm list --org acme      list those of one organization
  orrery vm list -A -o wide      list those of all organizations, with template, node and reason`,
    )
    .action(run)
  return addTargetOptions(addOrganizationsOptions(command))
}

async function run(names: readonly string[], options: ListOptions): Promise<void> {
  const { output } = options
  await withHub(options, async (client) => {
    const organization = await organizationsOf(client, options)
    const all = await machineOverviews(client, organization, new Date())
    const named = all.map((row) => ({ ...row, name: row.request.metadata.name }))
    const rows = namedOnly(named, names, (...unknown) => machineNotFound(organization ?? 'any', ...unknown))
    await show(output, {
      rows,
      columns: organization === undefined ? [ORGANIZATION_COLUMN, ...MACHINE_COLUMNS] : MACHINE_COLUMNS,
      document: listOf(rows.map(({ request }) => request)),
      empty: `No virtual machines found${organization === undefined ? '' : ` in organization ${organization}`}. Run \`orrery vm create\` to create one.`,
    })
    if (output === 'json' || output === 'yaml') return
    for (const { request, explanation } of rows.filter((row) => isProblem(row.explanation))) {
      const { namespace, name } = request.metadata
      note(`${organizationOf(namespace)}/${name}: ${explanationText(explanation)}`)
    }
  })
}
