export {
  type GateConnector,
  type GatedNode,
  type GateExchange,
  type GateSink,
  type GateTarget,
  NodeGate,
} from './kubelet/gate.js'
export {
  PLAY_DURATION,
  PLAY_EXIT,
  PLAY_PULL,
  PLAY_READY,
  PLAY_START,
} from './kubelet/played/play-script.js'
export type { Program, Programs } from './kubelet/programs/program.js'
export { type Node, startNode } from './node.js'
export type { NodeOptions } from './options.js'
export { type WorkloadOptions, workloadControllers } from './workloads/index.js'
