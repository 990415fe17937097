/** The group of managed clusters, cluster sets and placements. */
export const CLUSTER_GROUP = 'cluster.open-cluster-management.io'
