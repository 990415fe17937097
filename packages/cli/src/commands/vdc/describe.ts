import { type VdcDetails, vdcDetails } from '@orrery/ovim/client'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { bytesText, coresText } from '../../shared/quantity-text.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { type Detail, showDetails } from '../details.js'
import { addOrganizationOption, type OrganizationOptions, organizationOf } from '../organization-options.js'
import { showEvents } from '../sections.js'
import { explanationDetails, optional } from '../vm/describe.js'
import { ofLimit } from './list.js'

/** `orrery vdc describe`. */
export function describeVdcCommand(): Command {
  const command = new Command('describe')
    .description('Show a virtual data center: its zone, quota and usage, virtual machines, problems and recent events.')
    .argument('<vdc>', 'name of the virtual data center')
    .addHelpText(
      'after',
      `
Examples:
  orrery vdc describe dev`,
    )
    .action(run)
  return addTargetOptions(addOrganizationOption(command))
}

async function run(name: string, options: TargetOptions & OrganizationOptions): Promise<void> {
  await withHub(options, async (client) => {
    const organization = await organizationOf(client, options)
    const details = await vdcDetails(client, organization, name)
    showDetails(detailsOf(organization, details))
    showEvents(details.events)
  })
}

function detailsOf(organization: string, { vdc, explanation, machines }: VdcDetails): readonly Detail[] {
  const { metadata, spec, status = {} } = vdc
  const { quota = {} } = spec
  const { resourceUsage: used = {} } = status
  const placement = spec.placementRef
  return [
    ['Name', metadata.name],
    ['Organization', organization],
    ...optional('Display name', spec.displayName),
    ['Age', ageOf(metadata.creationTimestamp)],
    ['Phase', status.phase ?? 'Pending'],
    ...explanationDetails(explanation),
    ['Zone', status.zone ?? spec.zoneId ?? 'not chosen yet'],
    ...optional('Placement', placement && `${placement.namespace ?? metadata.namespace}/${placement.name}`),
    ...optional('Workload namespace', status.workloadNamespace),
    ['CPU', ofLimit(coresText(used.cpu) ?? 0, coresText(quota.cpu))],
    ['Memory', ofLimit(bytesText(used.memory) ?? 0, bytesText(quota.memory))],
    ['Storage', ofLimit(bytesText(used.storage) ?? 0, bytesText(quota.storage))],
    ['Pods', ofLimit(status.totalPods ?? 0, quota.pods)],
    ['VMs', ofLimit(machines.length, quota.virtualMachines)],
    ...optional('Names', machines.join(', ')),
    ['Network policy', spec.networkPolicy],
    ...optional('Catalogs', spec.catalogRestrictions?.join(', ')),
  ]
}
