import { type Explanation, type MachineDetails, machineDetails } from '@orrery/ovim/client'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { type Detail, showDetails } from '../details.js'
import { addOrganizationOption, type OrganizationOptions, organizationOf } from '../organization-options.js'
import { showEvents } from '../sections.js'
import { statusOf } from './columns.js'

/** `orrery vm describe`. */
export function describeMachineCommand(): Command {
  const command = new Command('describe')
    .description('Show a virtual machine, why it is in its state, what to do, its last operation and recent events.')
    .argument('<vm>', 'name of the virtual machine')
    .addHelpText(
      'after',
      `
Examples:
  orrery vm describe web
  orrery vm describe web --org acme`,
    )
    .action(run)
  return addTargetOptions(addOrganizationOption(command))
}

async function run(name: string, options: TargetOptions & OrganizationOptions): Promise<void> {
  await withHub(options, async (client) => {
    const organization = await organizationOf(client, options)
    const details = await machineDetails(client, organization, name, new Date())
    showDetails(detailsOf(organization, details))
    showEvents(details.events)
  })
}

function detailsOf(organization: string, details: MachineDetails): readonly Detail[] {
  const { request, explanation, zone, template } = details
  const { metadata, spec, status = {} } = request
  const size = (own: number | string | undefined, ofTemplate: number | string | undefined) =>
    own !== undefined ? String(own) : ofTemplate === undefined ? 'of the template' : `${ofTemplate} (of the template)`
  const cluster = zone?.spec?.clusterName ?? status.zone
  return [
    ['Name', metadata.name],
    ['Organization', organization],
    ['Age', ageOf(metadata.creationTimestamp)],
    ['Status', statusOf(request)],
    ['Requested', spec.powerState],
    ...explanationDetails(explanation),
    ['VDC', status.vdc ?? spec.vdc ?? 'not chosen yet'],
    ['Zone', status.zone ?? 'not chosen yet'],
    ...optional('On cluster', status.namespace && `${cluster}: namespace ${status.namespace}, name ${status.vmName}`),
    ...optional('Node', status.nodeName),
    ...optional('IP', status.ipAddress),
    ...optional('KubeVirt', status.printableStatus),
    ['Template', template === undefined ? `${spec.template} (does not exist any more)` : spec.template],
    ['CPU', size(spec.cpu, template?.spec.cpu)],
    ['Memory', size(spec.memory, template?.spec.memory)],
    ...optional('Storage', spec.storage ?? template?.spec.storage),
    ...optional('Network', spec.networkName),
    ...operationDetails(details),
    ...(status.conditions ?? []).map(
      ({ type, status: holds, reason, message }): Detail => [type, `${holds}, ${reason}: ${message}`],
    ),
  ]
}

/** Why an object is in its state, and what to do. */
export function explanationDetails({ text, advice }: Explanation): Detail[] {
  return [['Why', text], ...optional('What to do', advice)]
}

export function optional(title: string, value: string | number | undefined): Detail[] {
  return value === undefined || value === '' ? [] : [[title, String(value)]]
}

function operationDetails({ operation, request }: MachineDetails): Detail[] {
  const summary = request.status?.operation
  if (summary === undefined) return []
  const error = operation?.status?.error
  const attempts = operation?.status?.attempts ?? 0
  const delivered = attempts > 1 ? `, delivered ${attempts} times` : ''
  const failed = error === undefined ? '' : `: ${error}`
  return [['Last operation', `${summary.type} ${summary.phase}${delivered} (${summary.name})${failed}`]]
}
