import { type CrdDraft, crdOf } from '@orrery/api/schema'
import { DataVolume } from './data-volume.js'
import { VirtualMachineInstance, VirtualMachineInstanceV1Alpha3 } from './instance.js'
import { VirtualMachine, VirtualMachineV1Alpha3 } from './virtual-machine.js'

/** The CRDs of KubeVirt and CDI that an embedded cluster serves. */
export const KUBEVIRT_CRDS: readonly CrdDraft[] = [
  crdOf([VirtualMachine, VirtualMachineV1Alpha3], { strategy: 'None' }),
  crdOf([VirtualMachineInstance, VirtualMachineInstanceV1Alpha3], { strategy: 'None' }),
  crdOf([DataVolume], { strategy: 'None' }),
]
