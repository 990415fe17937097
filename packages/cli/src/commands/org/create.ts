import { Organization, type OrganizationSubject } from '@orrery/ovim'
import { whenOrganizationSettled } from '@orrery/ovim/client'
import { Command } from 'commander'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { waitUntilSettled } from '../settling.js'
import { type Wait, waitOption } from '../wait.js'
import { memberList } from './subjects.js'

interface CreateOptions extends TargetOptions {
  readonly admin?: readonly OrganizationSubject[]
  readonly user?: readonly OrganizationSubject[]
  readonly displayName?: string
  readonly description?: string
  readonly wait?: Wait
}

export const MEMBER_SYNTAX = 'alice, group:NAME or serviceaccount:NAMESPACE/NAME; can be repeated'

/** `orrery org create`. */
export function createOrganizationCommand(): Command {
  const command = new Command('create')
    .description('Create an organization: a tenant with a namespace of its own on the hub.')
    .argument('<org>', 'name of the organization')
    .option(
      '--admin <member>',
      `who manages its virtual data centers, templates and virtual machines: ${MEMBER_SYNTAX}`,
      memberList,
    )
    .option('--user <member>', `who manages its virtual machines: ${MEMBER_SYNTAX}`, memberList)
    .option('--display-name <text>', 'name that user interfaces show')
    .option('--description <text>', 'description')
    .addOption(waitOption('wait until its members have access'))
    .addHelpText(
      'after',
      `
Members are users of the hub, with the names that it authenticates: see \`kubectl auth whoami\`.

Examples:
  orrery org create acme --admin alice --user group:developers --wait
  orrery org create acme --user serviceaccount:people/bob`,
    )
    .action(run)
  return addTargetOptions(command)
}

async function run(name: string, options: CreateOptions): Promise<void> {
  const { admin, user, displayName, description, wait } = options
  await withHub(options, async (client) => {
    const spec = {
      ...(admin !== undefined && { admins: [...admin] }),
      ...(user !== undefined && { users: [...user] }),
      ...(displayName !== undefined && { displayName }),
      ...(description !== undefined && { description }),
    }
    await client.create(Organization, { metadata: { name }, spec }, { fieldValidation: 'Strict' })
    print(`organization ${name} created`)
    if (wait === undefined) return
    await waitUntilSettled(`organization ${name}`, wait, (follow) => whenOrganizationSettled(client, name, follow))
  })
}
