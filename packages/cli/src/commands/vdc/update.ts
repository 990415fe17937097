import { isNotFound } from '@orrery/kinds/values'
import { organizationNamespace, VirtualDataCenter } from '@orrery/ovim'
import { vdcNotFound, whenVdcSettled } from '@orrery/ovim/client'
import { Command } from 'commander'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { addOrganizationOption, type OrganizationOptions, organizationOf } from '../organization-options.js'
import { waitUntilSettled } from '../settling.js'
import { type Wait, waitOption } from '../wait.js'
import { addQuotaOptions, type QuotaOptions, quotaOf } from './quota-options.js'

interface UpdateOptions extends TargetOptions, OrganizationOptions, QuotaOptions {
  readonly wait?: Wait
}

/** `orrery vdc update`. */
export function updateVdcCommand(): Command {
  const command = addQuotaOptions(
    new Command('update')
      .description('Change the quota of a virtual data center.')
      .argument('<vdc>', 'name of the virtual data center'),
  )
    .addOption(waitOption('wait until its cluster has the quota'))
    .addHelpText(
      'after',
      `
Limits that you do not set are kept. Virtual machines that did not fit continue by themselves.

Examples:
  orrery vdc update dev --cpu 16 --memory 64Gi --wait`,
    )
    .action(run)
  return addTargetOptions(addOrganizationOption(command))
}

async function run(name: string, options: UpdateOptions, command: Command): Promise<void> {
  const quota = quotaOf(options)
  if (quota === undefined) command.error('error: set a limit: --cpu, --memory, --storage, --vms or --pods')
  await withHub(options, async (client) => {
    const organization = await organizationOf(client, options)
    const ref = { namespace: organizationNamespace(organization), name }
    await client.patch(VirtualDataCenter, ref, { spec: { quota } }).catch((error) => {
      throw isNotFound(error) ? new Error(vdcNotFound(organization, name), { cause: error }) : error
    })
    const what = `vdc ${organization}/${name}`
    print(`${what} updated`)
    const { wait } = options
    if (wait === undefined) return
    await waitUntilSettled(what, wait, (follow) => whenVdcSettled(client, organization, name, follow))
  })
}
