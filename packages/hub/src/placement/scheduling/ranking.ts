import type { CompiledPlacement } from './compile.js'
import type { ClusterFacts } from './facts.js'
import { type Feasible, filterClusters } from './filter.js'
import type { Expiry } from './prioritizers.js'
import { compareRank, selectBest } from './select.js'
import { isHard, SpreadSelection } from './spread.js'
import type { SchedulingState } from './state.js'
import { steadyScoreOf, totalsOf } from './totals.js'

/** Clusters that passed all filters, with their totals. Indexes refer to `feasible.clusters`. */
export interface Ranking {
  readonly feasible: Feasible
  readonly totals: Float64Array
  /** The selected clusters, best first. */
  readonly selected: readonly number[]
  readonly expiry: Expiry
}

/** Filters the candidates, scores the rest, and selects the best. */
export function rankClusters(
  compiled: CompiledPlacement,
  candidates: readonly ClusterFacts[],
  state: SchedulingState,
): Ranking {
  const feasible = filterClusters(compiled, candidates, state)
  const expiry: Expiry = { nextAt: feasible.nextAt, expired: [] }
  const totals = totalsOf(compiled, feasible, state, expiry)
  const { clusters } = feasible
  const { numberOfClusters = clusters.length, spread } = compiled
  const isSpread = spread.length > 0 && (numberOfClusters < clusters.length || spread.some(isHard))
  const selected = isSpread
    ? settledSpread(compiled, clusters, totals, state)
    : selectBest(clusters, totals, numberOfClusters)
  return { feasible, totals, selected, expiry }
}

/** Far more than selections need to settle. */
const MAX_ROUNDS = 16

/**
 * Steady raises the totals of selected clusters once they are decided, and with several domains this can lead to another
 * selection. So the selection is repeated as if it had been decided, until it does not change any more. If selections
 * alternate, the first of them in the order of names counts.
 */
function settledSpread(
  compiled: CompiledPlacement,
  clusters: readonly ClusterFacts[],
  totals: Float64Array,
  state: SchedulingState,
): number[] {
  const { numberOfClusters = clusters.length, spread } = compiled
  const steadyScore = steadyScoreOf(compiled)
  const selection = new SpreadSelection(clusters, spread)
  const rounds: { key: string; selected: number[] }[] = []
  let current = totals
  for (;;) {
    const selected = selection.select(current, numberOfClusters)
    const key = namesOf(clusters, selected).sort().join(',')
    const first = rounds.findIndex((round) => round.key === key)
    if (first >= 0 || rounds.length === MAX_ROUNDS || steadyScore === 0) {
      const repeated = [{ key, selected }, ...rounds.slice(first < 0 ? rounds.length : first)]
      const settled = repeated.reduce((a, b) => (b.key < a.key ? b : a)).selected
      return settled.sort((a, b) => compareRank(clusters, totals, a, b))
    }
    rounds.push({ key, selected })
    current = asIfDecided(clusters, totals, selected, state, steadyScore)
  }
}

function asIfDecided(
  clusters: readonly ClusterFacts[],
  totals: Float64Array,
  selected: readonly number[],
  { decided }: SchedulingState,
  steadyScore: number,
): Float64Array {
  const changed = totals.slice()
  const chosen = new Set(selected)
  clusters.forEach(({ name }, index) => {
    const change = Number(chosen.has(index)) - Number(decided.has(name))
    changed[index] = (changed[index] as number) + change * steadyScore
  })
  return changed
}

function namesOf(clusters: readonly ClusterFacts[], indexes: readonly number[]): string[] {
  return indexes.map((index) => (clusters[index] as ClusterFacts).name)
}
