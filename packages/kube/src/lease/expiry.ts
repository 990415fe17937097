import type { Lease } from '@orrery/kinds'
import { parseTime } from '@orrery/kinds/values'

/** Which lease is meant. */
export interface LeaseRef {
  readonly namespace: string
  readonly name: string
}

/**
 * When a lease runs out: so many seconds after it was last renewed, by default as many as it says itself. Undefined for
 * one that was never renewed or says nothing.
 */
export function leaseExpiry(lease: Lease, seconds = lease.spec?.leaseDurationSeconds): Date | undefined {
  const renewed = lease.spec?.renewTime
  if (renewed === undefined || seconds === undefined) return undefined
  const instant = parseTime(renewed)
  return new Date((instant.seconds + seconds) * 1000 + instant.nanos / 1e6)
}
