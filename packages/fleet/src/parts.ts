export { type ClusterPartOptions, type JoinCredentials, startClusterPart } from './cluster-part.js'
export { type HubPartOptions, startHubPart } from './hub-part.js'
export { playedWorkloads } from './played-workloads.js'
export type { RunningPart } from './running-part.js'
