import { Organization, type OrganizationSubject } from '@orrery/ovim'
import { organizationNotFound } from '@orrery/ovim/client'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { type Detail, showDetails } from '../details.js'
import { optional } from '../vm/describe.js'
import { memberText } from './subjects.js'

/** `orrery org describe`. */
export function describeOrganizationCommand(): Command {
  const command = new Command('describe')
    .description('Show an organization, its members and the numbers of its objects.')
    .argument('<org>', 'name of the organization')
    .addHelpText(
      'after',
      `
Examples:
  orrery org describe acme`,
    )
    .action(async (name: string, options: TargetOptions) => {
      const organization = await withHub(options, (client) => client.find(Organization, { name }))
      if (organization === undefined) throw new Error(organizationNotFound(name))
      showDetails(detailsOf(organization))
    })
  return addTargetOptions(command)
}

function detailsOf({ metadata, spec, status = {} }: Organization): readonly Detail[] {
  return [
    ['Name', metadata.name],
    ...optional('Display name', spec.displayName),
    ...optional('Description', spec.description),
    ['Age', ageOf(metadata.creationTimestamp)],
    ['Phase', status.phase ?? 'Pending'],
    ['Namespace', status.namespace ?? 'not created yet'],
    ['Admins', membersText(spec.admins)],
    ['Users', membersText(spec.users)],
    ['Catalogs', spec.catalogs?.join(', ') ?? 'all public ones'],
    ['VDCs', String(status.counts?.vdcs ?? 0)],
    ['VMs', String(status.counts?.vms ?? 0)],
    ['Templates', String(status.counts?.templates ?? 0)],
    ...(status.conditions ?? []).map(
      ({ type, status: holds, reason, message }): Detail => [type, `${holds}, ${reason}: ${message}`],
    ),
  ]
}

function membersText(members: readonly OrganizationSubject[] = []): string {
  return members.map(memberText).join(', ') || 'none'
}
