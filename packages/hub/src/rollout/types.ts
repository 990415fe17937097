/** The progress of a change on one cluster, as its agent reports it. */
export type ClusterProgress =
  /** The cluster does not have the change yet. */
  { readonly state: 'ToApply' } | { readonly state: 'Progressing' | 'Succeeded' | 'Failed'; readonly since: Date }

/**
 * The rollout status of a cluster, by Open Cluster Management's names.
 *
 * | status      | has the change | holds up other clusters                                |
 * |-------------|----------------|--------------------------------------------------------|
 * | ToApply     | no             |                                                        |
 * | Progressing | yes            | until the status changes                               |
 * | Settling    | succeeded      | until `minSuccessTime` is over                         |
 * | Succeeded   | yes            | no                                                     |
 * | Failed      | yes            | if there are more than `maxFailures`                   |
 * | TimeOut     | yes            | the same: it exceeded `progressDeadline`               |
 */
export type RolloutStatus = 'ToApply' | 'Progressing' | 'Settling' | 'Succeeded' | 'Failed' | 'TimeOut'

/** Why a rollout is stopped: more clusters failed than `maxFailures` allows. */
export interface MaxFailuresBreach {
  /** The clusters that failed or timed out. */
  readonly clusters: readonly string[]
  readonly maxFailures: number
}

/** The current state of a rollout. */
export interface RolloutPlan {
  /** The clusters that get the change now, in order. */
  readonly next: readonly string[]
  /** All clusters of the rollout, in order. */
  readonly statuses: ReadonlyMap<string, RolloutStatus>
  readonly breach?: MaxFailuresBreach
  /** When the status of a cluster changes by time alone. */
  readonly recheckAt?: Date
}
