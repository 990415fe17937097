import type { Template } from '../../kinds/template.js'
import type { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { present } from '../../wire/fields.js'
import type { VmCreateRequest, VmTarget, VmUpdateRequest } from '../../wire/vm-payloads.js'
import { templateRecord } from '../templates/template-record.js'
import { hashOf } from '../vdcs/vdc-payload.js'

/** Labels of the virtual machine that lead back to the request. */
function ownLabels({ metadata }: VirtualMachineRequest, organization: string): Record<string, string> {
  return { 'ovim.io/organization': organization, 'ovim.io/request-uid': metadata.uid }
}

/** The virtual machine on its cluster. */
export function machineTarget({ metadata, status }: VirtualMachineRequest): VmTarget {
  return { name: status?.vmName ?? metadata.name, namespace: status?.namespace ?? '' }
}

/** The payload of VMCreate. It has the template, so that the agent need not know it. */
export function createPayload(
  request: VirtualMachineRequest,
  template: Template,
  organization: string,
): VmCreateRequest {
  const { spec } = request
  return present({
    ...machineTarget(request),
    template_name: template.metadata.name,
    template: templateRecord(template),
    cpu: spec.cpu === undefined ? undefined : String(spec.cpu),
    memory: spec.memory === undefined ? undefined : String(spec.memory),
    storage: spec.storage === undefined ? undefined : String(spec.storage),
    labels: { ...spec.labels, ...ownLabels(request, organization) },
    annotations: spec.annotations,
    network_name: spec.networkName,
    power_state: spec.powerState,
    ssh_keys: spec.sshKeys,
    cloud_init: spec.cloudInit === undefined ? undefined : { user_data: spec.cloudInit },
  })
}

/** The payload of VMUpdate: what can be changed. */
export function updatePayload(request: VirtualMachineRequest, organization: string): VmUpdateRequest {
  const { spec } = request
  return present({
    ...machineTarget(request),
    cpu: spec.cpu === undefined ? undefined : String(spec.cpu),
    memory: spec.memory === undefined ? undefined : String(spec.memory),
    labels: { ...spec.labels, ...ownLabels(request, organization) },
    annotations: spec.annotations ?? {},
  })
}

/** Equal as long as the virtual machine need not be changed. */
export function specHash({ spec }: VirtualMachineRequest): string {
  const { cpu, memory, labels = {}, annotations = {} } = spec
  return hashOf(present({ cpu, memory, labels, annotations }))
}
