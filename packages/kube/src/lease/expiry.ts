import type { Lease } from '@orrery/kinds'
import { parseTime } from '@orrery/kinds/values'

/** The namespace and name of a lease. */
export interface LeaseRef {
  readonly namespace: string
  readonly name: string
}

/**
 * When a lease expires: this many seconds after the last renewal, by default its own duration. Undefined if it was
 * never renewed or has no duration.
 */
export function leaseExpiry(lease: Lease, seconds = lease.spec?.leaseDurationSeconds): Date | undefined {
  const renewed = lease.spec?.renewTime
  if (renewed === undefined || seconds === undefined) return undefined
  const instant = parseTime(renewed)
  return new Date((instant.seconds + seconds) * 1000 + instant.nanos / 1e6)
}
