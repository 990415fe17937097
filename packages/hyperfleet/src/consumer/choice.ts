/** A management cluster as the HyperFleet API lists it. */
export interface ManagementCluster {
  readonly name: string
  readonly region?: string
  readonly status?: string
  /** The number of hosted clusters on it, and the number for which it has room. */
  readonly used?: number
  readonly capacity?: number
}

/** Chooses one of at least one cluster. The list is sorted by name. */
export type ClusterChoice = (clusters: readonly ManagementCluster[]) => ManagementCluster | undefined

/** Each cluster in turn. Clusters that come and go do not change the order of the others. */
export function roundRobin(): ClusterChoice {
  let last: string | undefined
  return (clusters) => {
    const chosen = clusters.find(({ name }) => last === undefined || name > last) ?? clusters[0]
    last = chosen?.name
    return chosen
  }
}

/** Clusters get no further hosted clusters above this part of their capacity. */
const FULL = 0.9

/**
 * The cluster with the most free capacity, if one is less than 90 % full. A cluster without a capacity is chosen by the
 * number of its hosted clusters, after those that report one.
 */
export const leastLoaded: ClusterChoice = (clusters) => {
  const open = clusters.filter(({ used = 0, capacity }) => capacity === undefined || used < capacity * FULL)
  return open.toSorted((a, b) => freeOf(b) - freeOf(a))[0]
}

function freeOf({ used = 0, capacity }: ManagementCluster): number {
  return capacity === undefined ? -used : capacity - used
}
