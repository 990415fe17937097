import type { CompiledPlacement } from './compile.js'
import type { ClusterFacts } from './facts.js'
import { droppedBy, type Feasible, FILTERS, filterClusters } from './filter.js'
import { type ExpiredScore, type Expiry, MAX_SCORE, type Prioritizer } from './prioritizers.js'
import { reasonsFor } from './reasons.js'
import { type Satisfied, satisfiedBy } from './satisfied.js'
import { compareRank, selectBest } from './select.js'
import { isHard, selectSpread } from './spread.js'
import type { ClusterSets, SchedulingState } from './state.js'

/**
 * What one PreferNoSelect taint that is not tolerated adds to the total of a cluster. The default prioritizers differ by at
 * most 300 between two clusters, so it outweighs them, and configured ones up to a total weight of 5.
 */
export const PREFER_NO_SELECT_SCORE = -1000

/** The name of the score for PreferNoSelect taints among the prioritizers. Open Cluster Management has none. */
export const PREFER_NO_SELECT = 'PreferNoSelect'

/** The result of scheduling one placement. */
export interface Schedule {
  /** The selected clusters, best first. */
  readonly selected: readonly SelectedCluster[]
  /** The number of clusters that passed all filters. */
  readonly feasible: number
  readonly satisfied: Satisfied
  /** The earliest time at which the result can change without a change of any object. */
  readonly nextAt: Date | undefined
  /** Scores that were not counted because they have expired. */
  readonly expiredScores: readonly ExpiredScore[]
  /** The clusters after each filter, as the debug endpoint shows them. Computed for each call. */
  filterResults(): FilterResult[]
  /** The scores of each prioritizer, as the debug endpoint shows them. Computed for each call. */
  prioritizerResults(): PrioritizerResult[]
  /** The totals of all clusters that passed all filters, best first. Computed for each call. */
  aggregatedScores(): ClusterScore[]
  /** The same totals in the order of the candidates, computed one by one. */
  totals(): Iterable<ClusterScore>
}

export interface SelectedCluster {
  readonly cluster: string
  readonly facts: ClusterFacts
  readonly score: number
  /** Why it was selected, if it was selected instead of another one. Otherwise empty. */
  readonly reason: string
}

export interface FilterResult {
  /** The names of the filters so far: `Predicate,TaintToleration`. */
  readonly name: string
  readonly filteredClusters: string[]
}

export interface PrioritizerResult {
  readonly name: string
  readonly weight: number
  readonly scores: Record<string, number>
}

export interface ClusterScore {
  readonly clusterName: string
  readonly score: number
}

/** Clusters that passed all filters, with their scores. Indexes refer to `clusters`. */
export interface Ranking {
  readonly clusters: readonly ClusterFacts[]
  readonly totals: Float64Array
  /** Best first. */
  readonly selected: readonly number[]
}

/** Schedules a placement: filters the candidates, scores the rest, and selects the best. */
export function schedule(
  compiled: CompiledPlacement,
  sets: ClusterSets,
  candidates: readonly ClusterFacts[],
  state: SchedulingState,
): Schedule {
  const feasible = filterClusters(compiled, candidates, state)
  const expiry: Expiry = { nextAt: feasible.nextAt, expired: [] }
  const totals = totalsOf(compiled, feasible, state, expiry)
  const { clusters } = feasible
  const selected = selectClusters(compiled, clusters, totals, state)
  const ranking = { clusters, totals, selected }
  const reasons = reasonsFor(compiled, candidates, ranking, state)
  return {
    selected: selected.map((index) => {
      const facts = clusters[index] as ClusterFacts
      return { cluster: facts.name, facts, score: totals[index] as number, reason: reasons.get(facts.name) ?? '' }
    }),
    feasible: clusters.length,
    satisfied: satisfiedFor(compiled, sets, candidates.length, ranking),
    nextAt: Number.isFinite(expiry.nextAt) ? new Date(expiry.nextAt) : undefined,
    expiredScores: expiry.expired,
    filterResults: () => filterResults(compiled, candidates, state),
    prioritizerResults: () => columnsOf(compiled, feasible, state).map((column) => resultOf(column, clusters)),
    aggregatedScores: () => aggregate(ranking),
    totals: () => totalsByCandidate(ranking),
  }
}

/** The schedule of a placement whose spec cannot be compiled: it selects no clusters. */
export function misconfiguredSchedule(sets: ClusterSets, candidates: readonly ClusterFacts[]): Schedule {
  return {
    selected: [],
    feasible: 0,
    satisfied: satisfiedBy(sets, { candidates: candidates.length, selected: 0, unscheduled: 0 }),
    nextAt: undefined,
    expiredScores: [],
    filterResults: () => [],
    prioritizerResults: () => [],
    aggregatedScores: () => [],
    totals: () => [],
  }
}

function totalsOf(
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

function selectClusters(
  compiled: CompiledPlacement,
  clusters: readonly ClusterFacts[],
  totals: Float64Array,
  state: SchedulingState,
): number[] {
  const { numberOfClusters = clusters.length, spread } = compiled
  const isSpread = spread.length > 0 && (numberOfClusters < clusters.length || spread.some(isHard))
  return isSpread ? settledSpread(compiled, clusters, totals, state) : selectBest(clusters, totals, numberOfClusters)
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
  const rounds: { key: string; selected: number[] }[] = []
  let current = totals
  for (;;) {
    const selected = selectSpread(clusters, current, numberOfClusters, spread)
    const key = selected
      .map((index) => (clusters[index] as ClusterFacts).name)
      .sort()
      .join(',')
    const first = rounds.findIndex((round) => round.key === key)
    if (first >= 0 || rounds.length === MAX_ROUNDS || steadyScore === 0) {
      const repeated = [{ key, selected }, ...rounds.slice(first < 0 ? rounds.length : first)]
      const settled = repeated.reduce((a, b) => (b.key < a.key ? b : a)).selected
      return settled.sort((a, b) => compareRank(clusters, totals, a, b))
    }
    rounds.push({ key, selected })
    current = totals.slice()
    const chosen = new Set(selected)
    clusters.forEach(({ name }, index) => {
      const change = Number(chosen.has(index)) - Number(state.decided.has(name))
      current[index] = (current[index] as number) + change * steadyScore
    })
  }
}

/** What Steady adds to the total of a cluster once it is decided. */
export function steadyScoreOf({ prioritizers }: CompiledPlacement): number {
  return prioritizers.reduce((sum, { reads, weight }) => sum + (reads.type === 'Steady' ? MAX_SCORE * weight : 0), 0)
}

function satisfiedFor(
  { numberOfClusters, spread }: CompiledPlacement,
  sets: ClusterSets,
  candidates: number,
  { clusters, selected }: Ranking,
): Satisfied {
  const wanted = numberOfClusters ?? clusters.length
  const isHeldBack = selected.length < Math.min(wanted, clusters.length)
  return satisfiedBy(sets, {
    candidates,
    selected: selected.length,
    unscheduled: wanted - selected.length,
    ...(isHeldBack && { because: `more clusters would exceed the maxSkew of ${hardKeys(spread)}` }),
  })
}

function hardKeys(spread: CompiledPlacement['spread']): string {
  return spread
    .filter(isHard)
    .map(({ topologyKey }) => topologyKey)
    .join(', ')
}

function filterResults(
  compiled: CompiledPlacement,
  candidates: readonly ClusterFacts[],
  state: SchedulingState,
): FilterResult[] {
  const dropped = candidates.map((facts) => ({ name: facts.name, filter: droppedBy(compiled, facts, state) }))
  const applied = state.excluded === undefined ? FILTERS.slice(0, 2) : FILTERS
  return applied.map((_, stage) => {
    const names = FILTERS.slice(0, stage + 1)
    const left = dropped.filter(({ filter }) => filter === undefined || !names.includes(filter))
    return { name: names.join(','), filteredClusters: left.map(({ name }) => name).sort() }
  })
}

/** The scores of one prioritizer for all feasible clusters. */
export interface ScoreColumn {
  readonly name: string
  readonly weight: number
  readonly scores: Float64Array
}

/** The scores of all prioritizers. */
function columnsOf({ prioritizers }: CompiledPlacement, feasible: Feasible, state: SchedulingState): ScoreColumn[] {
  const ignored: Expiry = { nextAt: 0, expired: [] }
  const columns = prioritizers.map(({ name, weight, score }: Prioritizer) => {
    return { name, weight, scores: score(feasible.clusters, state, ignored) }
  })
  const { avoided, clusters } = feasible
  if (avoided === undefined) return columns
  const scores = avoided.slice(0, clusters.length).map((taints) => taints * PREFER_NO_SELECT_SCORE)
  return [...columns, { name: PREFER_NO_SELECT, weight: 1, scores }]
}

function resultOf({ name, weight, scores }: ScoreColumn, clusters: readonly ClusterFacts[]): PrioritizerResult {
  const scored = clusters.flatMap((cluster, index): [string, number][] => {
    const score = scores[index] as number
    return Number.isNaN(score) ? [] : [[cluster.name, score]]
  })
  return { name, weight, scores: Object.fromEntries(scored) }
}

function aggregate({ clusters, totals }: Ranking): ClusterScore[] {
  return selectBest(clusters, totals, clusters.length).map((index) => ({
    clusterName: (clusters[index] as ClusterFacts).name,
    score: totals[index] as number,
  }))
}

function* totalsByCandidate({ clusters, totals }: Ranking): Iterable<ClusterScore> {
  for (const [index, { name }] of clusters.entries()) yield { clusterName: name, score: totals[index] as number }
}
