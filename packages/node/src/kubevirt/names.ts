/** The API group of VirtualMachine and VirtualMachineInstance. */
export const KUBEVIRT_GROUP = 'kubevirt.io'
/** The API group of DataVolume. */
export const CDI_GROUP = 'cdi.kubevirt.io'
/** The API group of start, stop, pause and the other actions. */
export const SUBRESOURCE_GROUP = 'subresources.kubevirt.io'
/** The versions of both KubeVirt groups, the stored one first. */
export const KUBEVIRT_VERSIONS = ['v1', 'v1alpha3'] as const

/** Keeps a VirtualMachine until its instance is gone, and an instance until the VirtualMachine has recorded its end. */
export const VM_FINALIZER = 'kubevirt.io/virtualMachineControllerFinalize'
/** Keeps an instance until its guest and its pod are gone. */
export const INSTANCE_FINALIZER = 'foregroundDeleteVirtualMachine'

/** The label `kubevirt.io` of pods: its value is the component. */
export const APP_LABEL = 'kubevirt.io'
/** On pods: the UID of the instance. */
export const CREATED_BY_LABEL = 'kubevirt.io/created-by'
/** On pods: the host name of the guest. */
export const VM_NAME_LABEL = 'vm.kubevirt.io/name'
/** On pods: the name of the instance, shortened to fit a label. */
export const INSTANCE_ID_LABEL = 'vmi.kubevirt.io/id'
/** On instances and pods: the node. */
export const NODE_NAME_LABEL = 'kubevirt.io/nodeName'
/** On nodes that can run virtual machines. */
export const SCHEDULABLE_LABEL = 'kubevirt.io/schedulable'

/** On pods: the name of the instance. */
export const DOMAIN_ANNOTATION = 'kubevirt.io/domain'
/** On instances: the generation of the VirtualMachine that they were created from. */
export const VM_GENERATION_ANNOTATION = 'kubevirt.io/vm-generation'
/** On VirtualMachines: `false` delays the DataVolumes of its templates until it starts. */
export const IMMEDIATE_DATA_VOLUMES_ANNOTATION = 'kubevirt.io/immediate-data-volume-creation'
/** On DataVolumes: `true` binds the claim without a consumer. */
export const BIND_IMMEDIATELY_ANNOTATION = 'cdi.kubevirt.io/storage.bind.immediate.requested'

/** The readiness gate of launcher pods: a paused guest is not ready. */
export const UNPAUSED_GATE = 'kubevirt.io/virtual-machine-unpaused'

/** The container of a launcher pod that stands for the guest. */
export const COMPUTE_CONTAINER = 'compute'
export const LAUNCHER_IMAGE = 'quay.io/kubevirt/virt-launcher'

/** The condition that stops a VirtualMachine from starting until a person has repaired its volumes. */
export const MANUAL_RECOVERY_REQUIRED = 'ManualRecoveryRequired'
export const RESTART_REQUIRED = 'RestartRequired'
