/** The cluster sets of a placement. All names are sorted. */
export interface ClusterSets {
  /** Sets that exist and are bound to the namespace of the placement. */
  readonly bound: readonly string[]
  /** Sets that the placement requests. Empty: all that are bound. */
  readonly requested: readonly string[]
  /** Sets that the placement selects from: those that are both bound and requested. */
  readonly used: readonly string[]
}

/** The cluster sets of a placement in a namespace with these bindings. */
export function clusterSetsOf(requested: readonly string[] | undefined, bound: Iterable<string>): ClusterSets {
  const available = [...new Set(bound)].sort()
  const wanted = requested ?? []
  const used = wanted.length === 0 ? available : available.filter((set) => wanted.includes(set))
  return { bound: available, requested: wanted, used }
}

/** A score that a calculator or an add-on has reported for a cluster. */
export interface ReportedScore {
  readonly value: number
  /** The score counts until then. Undefined: it does not expire. */
  readonly validUntil?: Date | undefined
}

/** The current decision of a placement for one cluster. */
export interface CurrentDecision {
  readonly reason: string
  readonly score?: number | undefined
}

/** What scheduling of one placement reads, in addition to the spec and the candidates. */
export interface SchedulingState {
  /** The current decisions of the placement, by cluster. */
  readonly decided: ReadonlyMap<string, CurrentDecision>
  /** How many decisions of other placements select the cluster. */
  decisionsElsewhere(cluster: string): number
  /** The largest `decisionsElsewhere` of any cluster of the hub, whether or not it is a candidate. */
  readonly mostDecisionsElsewhere: number
  /**
   * The score with this name of the AddOnPlacementScore in the namespace of the cluster. For the resource
   * `MANAGED_CLUSTER_SCORE`, the ManagedClusterScore of the calculator with this name in lower case. Expired scores are
   * returned too.
   */
  score(cluster: string, resource: string, name: string): ReportedScore | undefined
  /** All scores of an AddOnPlacementScore, for CEL expressions. Undefined if it does not exist. */
  scoresOf(cluster: string, resource: string): readonly NamedScore[] | undefined
  /** Why failover keeps the placement off the cluster. Leave it out if no failover applies to the placement. */
  excluded?(cluster: string): string | undefined
  /** The failover, and when a cluster that it excludes returns, for explanations: `PlacementFailover web: score above 80 for 5m`. */
  readonly returnCondition?: string
  /** When changed scores last updated the decisions, from the status of the placement. */
  readonly lastScoreUpdateTime?: Date | undefined
  readonly now: Date
}

export interface NamedScore {
  readonly name: string
  readonly value: number
}

/** The resource name in an AddOn score coordinate that refers to ManagedClusterScores. */
export const MANAGED_CLUSTER_SCORE = 'managedclusterscore'
