import { findCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { Organization } from '@orrery/ovim'
import { organizationNotFound, ownOrganizations } from '@orrery/ovim/client'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import { note } from '../../shared/print.js'
import type { Column } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { namedOnly } from '../get/named-only.js'

/** `orrery org list`. */
export function listOrganizationsCommand(): Command {
  const command = new Command('list')
    .alias('ls')
    .description('List organizations: all for an administrator, else your own.')
    .argument('[org...]', 'names of organizations (default: all)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery org list
  orrery org list acme -o yaml`,
    )
    .action(run)
  return addTargetOptions(command)
}

const COLUMNS: readonly Column<Organization>[] = [
  { title: 'name', value: ({ metadata }) => metadata.name },
  { title: 'phase', value: ({ status }) => status?.phase ?? 'Pending' },
  { title: 'vdcs', value: ({ status }) => status?.counts?.vdcs },
  { title: 'vms', value: ({ status }) => status?.counts?.vms },
  { title: 'admins', value: ({ spec }) => spec.admins?.length ?? 0 },
  { title: 'users', value: ({ spec }) => spec.users?.length ?? 0 },
  { title: 'age', value: ({ metadata }) => ageOf(metadata.creationTimestamp) },
  { title: 'namespace', value: ({ status }) => status?.namespace, wide: true },
  { title: 'display name', value: ({ spec }) => spec.displayName, wide: true },
]

async function run(names: readonly string[], options: TargetOptions & OutputOptions): Promise<void> {
  const { output } = options
  await withHub(options, async (client) => {
    const all = (await organizations(client)).map((organization) => ({
      organization,
      name: organization.metadata.name,
    }))
    const rows = namedOnly(all, names, ([first = '']) => organizationNotFound(first)).map(
      ({ organization }) => organization,
    )
    await show(output, {
      rows,
      columns: COLUMNS,
      document: listOf(rows),
      empty: 'No organizations found. Run `orrery org create` to create one, or ask an administrator for access.',
    })
    if (output === 'json' || output === 'yaml') return
    for (const { metadata, status } of rows) {
      const ready = findCondition(status?.conditions, 'Ready')
      if (ready?.status === 'False') note(`${metadata.name}: ${ready.message}`)
    }
  })
}

async function organizations(client: KubeClient): Promise<Organization[]> {
  const names = await ownOrganizations(client)
  const found = await Promise.all(names.map((name) => client.find(Organization, { name })))
  return found.filter((organization) => organization !== undefined)
}
