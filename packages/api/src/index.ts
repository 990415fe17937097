export { ClusterClaim, type ClusterClaimSpec, type NewClusterClaim } from './cluster/clusterclaim.js'
