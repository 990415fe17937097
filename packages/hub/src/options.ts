import { clusterHealth, type HubCalculator } from '@orrery/scores'

/** The options of a hub's controllers. */
export interface HubOptions {
  /**
   * The users whose first certificate requests are approved, with the gate ManagedClusterAutoApproval:
   * `system:bootstrap:ocmhub`, for example.
   */
  readonly autoApprovedUsers: readonly string[]
  /**
   * Whether such users may also join with the name of a cluster whose agent is available. They get access to everything of
   * that cluster, Secrets included, so by default an administrator decides. The name of a cluster that is unreachable is
   * free.
   */
  readonly approveTakenNames: boolean
  /**
   * A cluster is unreachable after this many times `leaseDurationSeconds` without a renewal. LEASE_GRACE_FACTOR_ANNOTATION
   * overrides it for one cluster. Agents renew every 1 to 1.25 lease durations: with 2.5 a cluster is unreachable when it
   * misses its second renewal.
   */
  readonly leaseGraceFactor: number
  /** The resources to delete, in this order, in the namespace of a detached cluster: `group/version/resource`. */
  readonly cleanupResources: readonly string[]
  /** Labels of all objects that the hub creates for clusters. */
  readonly labels: Readonly<Record<string, string>>
  /** The calculators that run on the hub for each accepted cluster, with the gate ClusterScores. */
  readonly scoreCalculators: readonly HubCalculator[]
}

/** Open Cluster Management's own defaults. */
export const DEFAULT_HUB_OPTIONS: HubOptions = {
  autoApprovedUsers: [],
  approveTakenNames: false,
  leaseGraceFactor: 5,
  cleanupResources: [
    'addon.open-cluster-management.io/v1beta1/managedclusteraddons',
    'work.open-cluster-management.io/v1/manifestworks',
  ],
  labels: {},
  scoreCalculators: [clusterHealth],
}

/** The options with defaults. */
export function resolveHubOptions(options: Partial<HubOptions> = {}): HubOptions {
  const resolved = { ...DEFAULT_HUB_OPTIONS, ...options }
  if (!(resolved.leaseGraceFactor >= 1)) throw new RangeError('leaseGraceFactor must be at least 1')
  return resolved
}
