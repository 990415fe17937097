/** What an administrator may set. Every controller finds all of it resolved. */
export interface HubOptions {
  /**
   * Whose first requests for certificates are approved, and so whose clusters get in, with the gate
   * ManagedClusterAutoApproval: `system:bootstrap:ocmhub`, for example.
   */
  readonly autoApprovedUsers: readonly string[]
  /**
   * Whether such users may also come under the name of a cluster that is there and alive. Whoever does gets all that is
   * meant for that cluster, secrets included, so by default it is left for a person to decide. A cluster that gives no
   * sign of life is free to come again.
   */
  readonly approveTakenNames: boolean
  /**
   * After how many times `leaseDurationSeconds` without a sign of life a cluster counts as unreachable. The annotation
   * LEASE_GRACE_FACTOR_ANNOTATION says otherwise for one cluster. Agents renew every 1 to 1.25 times as long: with 2.5 a
   * cluster is noticed to be gone when its second renewal is missed.
   */
  readonly leaseGraceFactor: number
  /** What is deleted, in this order, in the namespace of a cluster that is detached: `group/version/resource`. */
  readonly cleanupResources: readonly string[]
  /** Labels for all that is made on the hub for clusters. */
  readonly labels: Readonly<Record<string, string>>
}

/** As Open Cluster Management has it. */
export const DEFAULT_HUB_OPTIONS: HubOptions = {
  autoApprovedUsers: [],
  approveTakenNames: false,
  leaseGraceFactor: 5,
  cleanupResources: [
    'addon.open-cluster-management.io/v1beta1/managedclusteraddons',
    'work.open-cluster-management.io/v1/manifestworks',
  ],
  labels: {},
}

/** The options with every default filled in. */
export function resolveHubOptions(options: Partial<HubOptions> = {}): HubOptions {
  const resolved = { ...DEFAULT_HUB_OPTIONS, ...options }
  if (!(resolved.leaseGraceFactor >= 1)) throw new RangeError('leaseGraceFactor must be at least 1')
  return resolved
}
