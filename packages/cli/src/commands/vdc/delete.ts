import { organizationNamespace, VirtualDataCenter } from '@orrery/ovim'
import { vdcNotFound, whenVdcGone } from '@orrery/ovim/client'
import { Command } from 'commander'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from '../ignore-not-found.js'
import { addOrganizationOption, type OrganizationOptions, organizationOf } from '../organization-options.js'
import { waitUntilSettled } from '../settling.js'
import { type Wait, waitOption } from '../wait.js'

interface DeleteOptions extends TargetOptions, OrganizationOptions, IgnoreNotFoundOptions {
  readonly wait?: Wait
}

/** `orrery vdc delete`. */
export function deleteVdcCommand(): Command {
  const command = new Command('delete')
    .alias('rm')
    .description('Delete a virtual data center and its namespace on the cluster.')
    .argument('<vdc>', 'name of the virtual data center')
    .addOption(waitOption('wait until it is deleted on its cluster, and print what blocks it'))
    .addHelpText(
      'after',
      `
A virtual data center with virtual machines is deleted when they are.

Examples:
  orrery vdc delete dev --wait`,
    )
    .action(run)
  return addTargetOptions(addOrganizationOption(addIgnoreNotFoundOption(command)))
}

async function run(name: string, options: DeleteOptions): Promise<void> {
  await withHub(options, async (client) => {
    const organization = await organizationOf(client, options)
    const ref = { namespace: organizationNamespace(organization), name }
    const found = await client.find(VirtualDataCenter, ref)
    if (found === undefined) return reportNotFound(vdcNotFound(organization, name), options)
    await client.ensureDeleted(VirtualDataCenter, ref, { preconditions: { uid: found.metadata.uid } })
    const what = `vdc ${organization}/${name}`
    print(`${what} is being deleted`)
    const { wait } = options
    if (wait === undefined) return
    await waitUntilSettled(what, wait, (follow) => whenVdcGone(client, organization, name, follow))
  })
}
