import { AddOnCondition, AddOnReason } from '@orrery/api'
import type { Lease } from '@orrery/kinds'
import type { Finding } from '@orrery/kinds/values'
import { leaseExpiry } from '@orrery/kube/lease'

/** What a Lease shows, and until when if nothing happens. */
export interface LeaseFinding {
  readonly finding: Finding
  readonly until: Date | undefined
}

/** After this many durations without a renewal, the lease has expired. */
const GRACE_DURATIONS = 5
/** The duration of a lease that has none. */
const DURATION_SECONDS = 60

/**
 * The condition Available of an add-on by its Lease, with the reasons and messages of Open Cluster Management. `hostingCluster` is empty
 * unless the add-on is hosted.
 *
 * | lease                       | Available | reason                                  |
 * |-----------------------------|-----------|-----------------------------------------|
 * | missing                     | Unknown   | `ManagedClusterAddOnLeaseNotFound`      |
 * | renewed within 5 durations  | True      | `ManagedClusterAddOnLeaseUpdated`       |
 * | expired, or never renewed   | False     | `ManagedClusterAddOnLeaseUpdateStopped` |
 */
export function leaseFinding(
  addonName: string,
  lease: Lease | undefined,
  hostingCluster: string,
  now: Date,
): LeaseFinding {
  const type = AddOnCondition.Available
  if (lease === undefined) {
    const where =
      hostingCluster === ''
        ? ''
        : ` No lease found on hosting cluster "${hostingCluster}"; verify it matches the cluster where this managed cluster's klusterlet actually runs.`
    const message = `The status of ${addonName} add-on is unknown.${where}`
    return { finding: { type, status: 'Unknown', reason: AddOnReason.LeaseNotFound, message }, until: undefined }
  }
  const duration = lease.spec?.leaseDurationSeconds ?? DURATION_SECONDS
  const expiry = leaseExpiry(lease, GRACE_DURATIONS * duration)
  if (expiry !== undefined && now < expiry) {
    const message = `${addonName} add-on is available.`
    return { finding: { type, status: 'True', reason: AddOnReason.LeaseUpdated, message }, until: expiry }
  }
  const message = `${addonName} add-on is not available.`
  return { finding: { type, status: 'False', reason: AddOnReason.LeaseUpdateStopped, message }, until: undefined }
}
