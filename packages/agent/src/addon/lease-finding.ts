import { ADDON_PROBLEM_ANNOTATION, AddOnCondition, AddOnReason, type ManagedClusterAddOn } from '@orrery/api'
import type { Lease } from '@orrery/kinds'
import { type Finding, findCondition } from '@orrery/kinds/values'
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

const PROBLEM_REASONS: ReadonlySet<string | undefined> = new Set([AddOnReason.AgentProblem, AddOnReason.AgentWorks])

/**
 * The condition Degraded of an add-on by the problem that its agent has written into its Lease. None if there is no problem and was
 * none, and none if the add-on sets the condition itself.
 */
export function problemFindings({ metadata, status }: ManagedClusterAddOn, lease: Lease | undefined): Finding[] {
  const type = AddOnCondition.Degraded
  const problem = lease?.metadata.annotations?.[ADDON_PROBLEM_ANNOTATION]
  const before = findCondition(status?.conditions, type)
  if (before === undefined ? problem === undefined : !PROBLEM_REASONS.has(before.reason)) return []
  if (problem !== undefined) return [{ type, status: 'True', reason: AddOnReason.AgentProblem, message: problem }]
  const message = `The agent of ${metadata.name} add-on reports no problem.`
  return [{ type, status: 'False', reason: AddOnReason.AgentWorks, message }]
}
