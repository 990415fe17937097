import type { LeaseSpec } from '@orrery/kinds'
import { formatMicroTime } from '@orrery/kinds/values'

/** The lease of a new leader. Fields that elections do not use stay. */
export function takenOver(old: LeaseSpec | undefined, holder: string, seconds: number, now: Date): LeaseSpec {
  const time = formatMicroTime(now)
  return {
    ...old,
    holderIdentity: holder,
    leaseDurationSeconds: seconds,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: old === undefined ? 0 : (old.leaseTransitions ?? 0) + 1,
  }
}

/** The lease of a leader after a renewal. */
export function renewed(old: LeaseSpec, seconds: number, now: Date): LeaseSpec {
  return { ...old, leaseDurationSeconds: seconds, renewTime: formatMicroTime(now) }
}

/** The lease after a release: without a holder, so that others can acquire it at once. */
export function released(old: LeaseSpec, now: Date): LeaseSpec {
  const time = formatMicroTime(now)
  return { ...old, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time }
}
