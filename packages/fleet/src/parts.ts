export { type ClusterPartOptions, startClusterPart } from './clusterpart.js'
export { type HubPartOptions, startHubPart } from './hubpart.js'
export type { RunningPart } from './runningpart.js'
