import type { CompiledPlacement } from './compile.js'
import type { Feasible } from './filter.js'
import { type Expiry, MAX_SCORE } from './prioritizers.js'
import type { SchedulingState } from './state.js'

/**
 * What one PreferNoSelect taint that is not tolerated adds to the total of a cluster. The default prioritizers differ by at
 * most 300 between two clusters, so it outweighs them, and configured ones up to a total weight of 5.
 */
export const PREFER_NO_SELECT_SCORE = -1000

/** The name of the score for PreferNoSelect taints among the prioritizers. Open Cluster Management has none. */
export const PREFER_NO_SELECT = 'PreferNoSelect'

/** The totals of all feasible clusters. Fills `expiry`. */
export function totalsOf(
  { prioritizers }: CompiledPlacement,
  { clusters, avoided }: Feasible,
  state: SchedulingState,
  expiry: Expiry,
): Float64Array {
  const totals = new Float64Array(clusters.length)
  for (const prioritizer of prioritizers) {
    const scores = prioritizer.score(clusters, state, expiry)
    const { weight } = prioritizer
    for (let i = 0; i < totals.length; i++) {
      const score = scores[i] as number
      if (!Number.isNaN(score)) totals[i] = (totals[i] as number) + weight * score
    }
  }
  if (avoided === undefined) return totals
  for (let i = 0; i < totals.length; i++) {
    totals[i] = (totals[i] as number) + PREFER_NO_SELECT_SCORE * (avoided[i] as number)
  }
  return totals
}

/** The scores of one prioritizer for all feasible clusters. NaN: no score. */
export interface ScoreColumn {
  readonly name: string
  readonly weight: number
  readonly scores: Float64Array
}

/** The scores of all prioritizers. */
export function columnsOf(
  { prioritizers }: CompiledPlacement,
  { clusters, avoided }: Feasible,
  state: SchedulingState,
): ScoreColumn[] {
  const ignored: Expiry = { nextAt: 0, expired: [] }
  const columns = prioritizers.map(({ name, weight, score }): ScoreColumn => {
    return { name, weight, scores: score(clusters, state, ignored) }
  })
  if (avoided === undefined) return columns
  const scores = avoided.slice(0, clusters.length).map((taints) => taints * PREFER_NO_SELECT_SCORE)
  return [...columns, { name: PREFER_NO_SELECT, weight: 1, scores }]
}

/** What Steady adds to the total of a cluster once it is decided. */
export function steadyScoreOf({ prioritizers }: CompiledPlacement): number {
  return prioritizers.reduce((sum, { reads, weight }) => sum + (reads.type === 'Steady' ? MAX_SCORE * weight : 0), 0)
}
