export { type GateConnector, type GatedNode, type GateOptions, type GateTarget, NodeGate } from './gate.js'
export {
  PLAY_DURATION,
  PLAY_EXIT,
  PLAY_PULL,
  PLAY_READY,
  PLAY_START,
} from './kubelet/played/play-script.js'
export type { Program, Programs } from './kubelet/programs/program.js'
export type { GateExchange, GateSink } from './kubelet/streaming/gate-exchange.js'
export type { KubevirtPlugin } from './kubevirt/admission/plugin.js'
export type { KubevirtRequest } from './kubevirt/admission/request.js'
export type { MachineImage, MachineImages } from './kubevirt/images/machine-image.js'
export type { SubresourceExchange, SubresourceGroup, SubresourceTarget } from './kubevirt/subresources/group.js'
export { type Node, startNode } from './node.js'
export type { NodeOptions } from './options.js'
export { type WorkloadOptions, workloadControllers } from './workloads/index.js'
