import type { ObjectRef } from '@orrery/kinds'
import type { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'

/** The virtual data center of a request, if it is known. */
export function vdcOfRequest({ metadata: { namespace }, spec, status }: VirtualMachineRequest): ObjectRef[] {
  const name = status?.vdc ?? spec.vdc
  return name === undefined ? [] : [{ namespace, name }]
}

/** The function of the index `vdc`, the same for all users of an informer. */
export function vdcsOfRequest(request: VirtualMachineRequest): string[] {
  return vdcOfRequest(request).map(({ namespace, name }) => `${namespace}/${name}`)
}
