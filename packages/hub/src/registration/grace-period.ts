import { clusterLeaseSeconds, LEASE_GRACE_FACTOR_ANNOTATION, type ManagedCluster } from '@orrery/api'
import type { HubOptions } from '../options.js'

const LARGEST_FACTOR = 1_000

/**
 * For how long, in milliseconds, a cluster may be silent before it counts as unreachable, and by how much its clock may
 * be off. With a lease of 5 seconds and a factor of 2.5, one that is gone is noticed after 12.5 seconds.
 */
export function gracePeriod(cluster: ManagedCluster, { leaseGraceFactor }: HubOptions): number {
  const factor = Number(cluster.metadata.annotations?.[LEASE_GRACE_FACTOR_ANNOTATION])
  const isValid = factor >= 1 && factor <= LARGEST_FACTOR
  return 1_000 * clusterLeaseSeconds(cluster) * (isValid ? factor : leaseGraceFactor)
}
