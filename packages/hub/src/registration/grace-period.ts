import { LEASE_GRACE_FACTOR_ANNOTATION, type ManagedCluster } from '@orrery/api'
import type { HubOptions } from '../options.js'

const DEFAULT_LEASE_SECONDS = 60
const LARGEST_FACTOR = 1_000

/**
 * For how long, in milliseconds, a cluster may be silent before it counts as unreachable, and by how much its clock may
 * be off. With a lease of 5 seconds and a factor of 2.5, one that is gone is noticed after 12.5 seconds.
 */
export function gracePeriod({ metadata, spec }: ManagedCluster, { leaseGraceFactor }: HubOptions): number {
  const factor = Number(metadata.annotations?.[LEASE_GRACE_FACTOR_ANNOTATION])
  const seconds = spec?.leaseDurationSeconds ?? 0
  return (
    1_000 *
    (seconds > 0 ? seconds : DEFAULT_LEASE_SECONDS) *
    (factor >= 1 && factor <= LARGEST_FACTOR ? factor : leaseGraceFactor)
  )
}
