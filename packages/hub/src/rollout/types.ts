/** Clusters that a placement puts together: they go first, or at the same time, or both. */
export interface ClusterGroup {
  /** Its place among the groups, from 0. */
  readonly index: number
  /** Empty for a group without a name. */
  readonly name: string
  readonly clusters: readonly string[]
}

/** How a change fares on one cluster, as far as the cluster says. */
export type ClusterProgress =
  /** It was not handed to the cluster yet. */
  { readonly state: 'ToApply' } | { readonly state: 'Progressing' | 'Succeeded' | 'Failed'; readonly since: Date }

/**
 * Where a cluster stands in a rollout.
 *
 * | standing | it has the change | it holds others up                         |
 * |----------|-------------------|--------------------------------------------|
 * | queued   | no                |                                            |
 * | underway | yes               | until it is something else                 |
 * | settling | yes, and is well  | until it was well for long enough          |
 * | done     | yes, and is well  | no                                         |
 * | failed   | yes               | when there are more failures than may be   |
 * | timedOut | yes               | when there are more failures than may be   |
 */
export type Standing = 'queued' | 'underway' | 'settling' | 'done' | 'failed' | 'timedOut'

/** Why a rollout goes no further by itself. */
export interface Halt {
  /** The clusters that failed, or took too long. */
  readonly clusters: readonly string[]
  /** How many may. */
  readonly allowed: number
}

/** What a rollout does now. */
export interface RolloutPlan {
  /** The clusters that get the change now, in order. */
  readonly next: readonly string[]
  /** All clusters of the rollout, in order. */
  readonly standings: ReadonlyMap<string, Standing>
  readonly halt?: Halt
  /** When the standing of some cluster changes though nothing happens but time. */
  readonly recheckAt?: Date
}
