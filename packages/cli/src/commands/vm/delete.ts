import { organizationNamespace, VirtualMachineRequest } from '@orrery/ovim'
import { machineNotFound, whenMachineGone } from '@orrery/ovim/client'
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

/** `orrery vm delete`. */
export function deleteMachineCommand(): Command {
  const command = new Command('delete')
    .alias('rm')
    .description('Delete virtual machines and their disks.')
    .argument('<vm...>', 'names of virtual machines')
    .addOption(waitOption('wait until they are deleted on the cluster, and print each step'))
    .addHelpText(
      'after',
      `
If the zone of a virtual machine is disconnected, the deletion waits until it is back.

Examples:
  orrery vm delete web --wait
  orrery vm delete web db --org acme --ignore-not-found`,
    )
    .action(run)
  return addTargetOptions(addOrganizationOption(addIgnoreNotFoundOption(command)))
}

async function run(names: readonly string[], options: DeleteOptions): Promise<void> {
  await withHub(options, async (client) => {
    const organization = await organizationOf(client, options)
    const namespace = organizationNamespace(organization)
    const found: string[] = []
    for (const name of names) {
      const request = await client.find(VirtualMachineRequest, { namespace, name })
      if (request === undefined) {
        reportNotFound(machineNotFound(organization, name), options)
        continue
      }
      await client.ensureDeleted(
        VirtualMachineRequest,
        { namespace, name },
        { preconditions: { uid: request.metadata.uid } },
      )
      print(`vm ${organization}/${name} is being deleted`)
      found.push(name)
    }
    const { wait } = options
    if (wait === undefined) return
    await Promise.all(
      found.map((name) =>
        waitUntilSettled(`vm ${organization}/${name}`, wait, (follow) =>
          whenMachineGone(client, organization, name, follow),
        ),
      ),
    )
  })
}
