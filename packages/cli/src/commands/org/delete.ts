import { Organization } from '@orrery/ovim'
import { organizationNotFound, whenOrganizationGone } from '@orrery/ovim/client'
import { Command } from 'commander'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from '../ignore-not-found.js'
import { waitUntilSettled } from '../settling.js'
import { type Wait, waitOption } from '../wait.js'

interface DeleteOptions extends TargetOptions, IgnoreNotFoundOptions {
  readonly wait?: Wait
}

/** `orrery org delete`. */
export function deleteOrganizationCommand(): Command {
  const command = new Command('delete')
    .alias('rm')
    .description('Delete an organization and its namespace.')
    .argument('<org>', 'name of the organization')
    .addOption(waitOption('wait until it is deleted, and print what blocks it'))
    .addHelpText(
      'after',
      `
An organization with virtual data centers or virtual machines is deleted when they are.

Examples:
  orrery org delete acme --wait`,
    )
    .action(run)
  return addTargetOptions(addIgnoreNotFoundOption(command))
}

async function run(name: string, options: DeleteOptions): Promise<void> {
  await withHub(options, async (client) => {
    const found = await client.find(Organization, { name })
    if (found === undefined) return reportNotFound(organizationNotFound(name), options)
    await client.ensureDeleted(Organization, { name }, { preconditions: { uid: found.metadata.uid } })
    print(`organization ${name} is being deleted`)
    const { wait } = options
    if (wait === undefined) return
    await waitUntilSettled(`organization ${name}`, wait, (follow) => whenOrganizationGone(client, name, follow))
  })
}
