import { DataVolume } from '../kinds/data-volume.js'
import { VirtualMachineInstance } from '../kinds/instance.js'
import { VirtualMachine } from '../kinds/virtual-machine.js'
import { checkDataVolume } from './data-volume-rule.js'
import { checkInstance, defaultInstance } from './instance-rule.js'
import type { KubevirtRequest, MayClone } from './request.js'
import { checkVm, defaultVm } from './vm-rule.js'

/** An admission plugin in the form that the embedded API server takes. */
export interface KubevirtPlugin {
  readonly name: string
  readonly mutate: (request: KubevirtRequest) => void
  readonly validate: (request: KubevirtRequest) => void | Promise<void>
}

/** Returns the defaults and checks that the webhooks of KubeVirt and CDI have. */
export function kubevirtPlugin(mayClone: MayClone, now: () => Date): KubevirtPlugin {
  return {
    name: 'KubeVirt',
    mutate(request) {
      if (!isWrite(request)) return
      if (isOf(request, VirtualMachine)) defaultVm(request)
      if (isOf(request, VirtualMachineInstance)) defaultInstance(request, now())
    },
    validate(request) {
      if (!isWrite(request)) return undefined
      if (isOf(request, VirtualMachine)) return checkVm(request, mayClone)
      if (isOf(request, VirtualMachineInstance)) return checkInstance(request)
      return isOf(request, DataVolume) ? checkDataVolume(request, mayClone) : undefined
    },
  }
}

function isWrite({ operation, subresource, object }: KubevirtRequest): boolean {
  return (operation === 'CREATE' || operation === 'UPDATE') && subresource === '' && object !== undefined
}

function isOf({ resource }: KubevirtRequest, kind: { readonly group: string; readonly plural: string }): boolean {
  return resource.group === kind.group && resource.plural === kind.plural
}
