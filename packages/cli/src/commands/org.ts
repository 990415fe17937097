import { Command } from 'commander'
import { membersCommand, stateCommand } from './org/change.js'
import { createOrganizationCommand } from './org/create.js'
import { deleteOrganizationCommand } from './org/delete.js'
import { describeOrganizationCommand } from './org/describe.js'
import { listOrganizationsCommand } from './org/list.js'

/** `orrery org`. */
export function organizationCommand(): Command {
  return new Command('org')
    .description('Manage organizations: the tenants that own virtual data centers and virtual machines.')
    .addCommand(listOrganizationsCommand())
    .addCommand(createOrganizationCommand())
    .addCommand(describeOrganizationCommand())
    .addCommand(membersCommand('grant'))
    .addCommand(membersCommand('revoke'))
    .addCommand(stateCommand('enable'))
    .addCommand(stateCommand('disable'))
    .addCommand(deleteOrganizationCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery org create acme --admin alice --user group:developers
  orrery org list
  orrery org grant acme --user bob`,
    )
}
