import type { FilterName } from './filter.js'
import type { Satisfied } from './satisfied.js'
import type { ClusterSets } from './state.js'

/** Why a placement selects the clusters that it selects. Serialisable as JSON. */
export interface PlacementExplanation {
  readonly namespace: string
  readonly name: string
  /** The error in the spec, if there is one: field and fix. */
  readonly problem?: string
  readonly clusterSets: ClusterSets
  /** Absent: all clusters that match. */
  readonly numberOfClusters?: number
  /** The number of selected clusters. */
  readonly selected: number
  readonly satisfied: Satisfied
  /** The filters in order, with the number of clusters before and after each. */
  readonly filters: readonly { readonly name: FilterName; readonly before: number; readonly after: number }[]
  readonly prioritizers: readonly { readonly name: string; readonly weight: number }[]
  /** Every cluster of the used sets: the selected ones, then those that were not, both by rank, then the dropped ones by name. */
  readonly clusters: readonly ClusterExplanation[]
}

/** What happened to one cluster. */
export interface ClusterExplanation {
  readonly cluster: string
  readonly outcome: 'Selected' | 'NotSelected' | 'FilteredOut'
  /** The filter that dropped the cluster, and why. */
  readonly filter?: { readonly name: FilterName; readonly reason: string }
  readonly scores?: readonly ScoreExplanation[]
  /** The sum of weight × score. */
  readonly total?: number
  /** The position among all clusters that passed the filters, by total and name, from 1. */
  readonly rank?: number
  readonly decisionGroup?: { readonly index: number; readonly name: string }
  /** One sentence. */
  readonly reason: string
  /** What would have to change for the cluster to be selected. All entries are needed; an entry can name alternatives. */
  readonly toBeSelected: readonly string[]
}

export interface ScoreExplanation {
  readonly prioritizer: string
  readonly weight: number
  /** Absent: the cluster has no score, which counts as 0. */
  readonly score?: number
  /** What the score is based on. */
  readonly detail?: string
}
