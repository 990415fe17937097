import type { OrganizationSubject } from '@orrery/ovim'
import { changeOrganization } from '@orrery/ovim/client'
import { Command } from 'commander'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { MEMBER_SYNTAX } from './create.js'
import { isSameMember, memberList } from './subjects.js'

interface MemberOptions extends TargetOptions {
  readonly admin?: readonly OrganizationSubject[]
  readonly user?: readonly OrganizationSubject[]
}

const MEMBER_TEXTS = {
  grant: { description: 'Add members to an organization.', done: 'granted' },
  revoke: { description: 'Remove members from an organization: they lose access to its objects.', done: 'revoked' },
} as const

/** `orrery org grant` and `orrery org revoke`. */
export function membersCommand(action: keyof typeof MEMBER_TEXTS): Command {
  const { description, done } = MEMBER_TEXTS[action]
  const command = new Command(action)
    .description(description)
    .argument('<org>', 'name of the organization')
    .option('--admin <member>', `admin: ${MEMBER_SYNTAX}`, memberList)
    .option('--user <member>', `user: ${MEMBER_SYNTAX}`, memberList)
    .addHelpText(
      'after',
      `
Examples:
  orrery org ${action} acme --user bob
  orrery org ${action} acme --admin group:operators`,
    )
    .action(async (name: string, options: MemberOptions, self: Command) => {
      const { admin = [], user = [] } = options
      if (admin.length + user.length === 0) self.error("error: set '--admin <member>' or '--user <member>'")
      const next = action === 'grant' ? withMembers : withoutMembers
      await withHub(options, (client) =>
        changeOrganization(client, name, ({ admins = [], users = [], ...spec }) => ({
          ...spec,
          admins: next(admins, admin),
          users: next(users, user),
        })),
      )
      print(`organization ${name} access ${done}`)
    })
  return addTargetOptions(command)
}

function withMembers(before: readonly OrganizationSubject[], more: readonly OrganizationSubject[]) {
  return [...before, ...more.filter((one) => !before.some((other) => isSameMember(one, other)))]
}

function withoutMembers(before: readonly OrganizationSubject[], gone: readonly OrganizationSubject[]) {
  return before.filter((one) => !gone.some((other) => isSameMember(one, other)))
}

const STATE_TEXTS = {
  enable: 'Enable an organization: its members have access again.',
  disable: 'Disable an organization: nothing can be created or changed in it. Virtual machines keep running.',
} as const

/** `orrery org enable` and `orrery org disable`. */
export function stateCommand(action: keyof typeof STATE_TEXTS): Command {
  const command = new Command(action)
    .description(STATE_TEXTS[action])
    .argument('<org>', 'name of the organization')
    .addHelpText(
      'after',
      `
Examples:
  orrery org ${action} acme`,
    )
    .action(async (name: string, options: TargetOptions) => {
      const isEnabled = action === 'enable'
      await withHub(options, (client) => changeOrganization(client, name, (spec) => ({ ...spec, isEnabled })))
      print(`organization ${name} ${action}d`)
    })
  return addTargetOptions(command)
}
