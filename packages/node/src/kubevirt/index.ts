// For programs that only use the kinds and names of KubeVirt: nothing here loads the node itself.
export { KUBEVIRT_CRDS } from './kinds/crds.js'
export {
  DataVolume,
  type DataVolumeSpec,
  type DataVolumeStatus,
  type NewDataVolume,
} from './kinds/data-volume.js'
export {
  type InstanceStatus,
  type NewVirtualMachineInstance,
  VirtualMachineInstance,
} from './kinds/instance.js'
export type { InstanceSpec } from './kinds/instance-spec.js'
export {
  type NewVirtualMachine,
  VirtualMachine,
  type VirtualMachineSpec,
  type VirtualMachineStatus,
} from './kinds/virtual-machine.js'
export { PLAY_AGENT, PLAY_BOOT, PLAY_IMPORT, PLAY_SHUTDOWN } from './machine/play-script.js'
export { CDI_GROUP, KUBEVIRT_GROUP, SUBRESOURCE_GROUP } from './names.js'
