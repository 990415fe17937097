import { organizationOf, type VirtualMachineRequest } from '@orrery/ovim'
import type { MachineOverview } from '@orrery/ovim/client'
import { ageOf } from '../../shared/age.js'
import type { Column } from '../../shared/table.js'

export const ORGANIZATION_COLUMN: Column<MachineOverview> = {
  title: 'org',
  value: ({ request }) => organizationOf(request.metadata.namespace),
}

export const MACHINE_COLUMNS: readonly Column<MachineOverview>[] = [
  { title: 'name', value: ({ request }) => request.metadata.name },
  { title: 'status', value: ({ request }) => statusOf(request) },
  { title: 'requested', value: ({ request }) => request.spec.powerState },
  { title: 'vdc', value: ({ request: { spec, status } }) => status?.vdc ?? spec.vdc },
  { title: 'zone', value: ({ request }) => request.status?.zone },
  { title: 'ip', value: ({ request }) => request.status?.ipAddress },
  { title: 'age', value: ({ request }) => ageOf(request.metadata.creationTimestamp) },
  { title: 'template', value: ({ request }) => request.spec.template, wide: true },
  { title: 'node', value: ({ request }) => request.status?.nodeName, wide: true },
  { title: 'kubevirt', value: ({ request }) => request.status?.printableStatus, wide: true },
  { title: 'why', value: ({ explanation }) => explanation.text, wide: true },
]

/** The phase of a virtual machine, as the hub reports it. */
export function statusOf({ metadata, status }: VirtualMachineRequest): string {
  return metadata.deletionTimestamp === undefined ? (status?.phase ?? 'pending') : 'deleting'
}
