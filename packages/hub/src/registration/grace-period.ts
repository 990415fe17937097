import { clusterLeaseSeconds, LEASE_GRACE_FACTOR_ANNOTATION, type ManagedCluster } from '@orrery/api'
import type { HubOptions } from '../options.js'

const MAX_FACTOR = 1_000

/**
 * The time without a renewal, in milliseconds, after which a cluster is unreachable, and the limit for the difference of
 * clocks. With a lease of 5 seconds and a factor of 2.5 it is 12.5 seconds.
 */
export function gracePeriod(cluster: ManagedCluster, { leaseGraceFactor }: HubOptions): number {
  const factor = Number(cluster.metadata.annotations?.[LEASE_GRACE_FACTOR_ANNOTATION])
  const isValid = factor >= 1 && factor <= MAX_FACTOR
  return 1_000 * clusterLeaseSeconds(cluster) * (isValid ? factor : leaseGraceFactor)
}
