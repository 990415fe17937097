import type { CompiledPlacement } from './compile.js'
import { withinCost } from './costly-placements.js'
import type { ClusterFacts } from './facts.js'
import { droppedBy, FILTERS } from './filter.js'
import { Misconfigured } from './misconfigured.js'
import type { ExpiredScore } from './prioritizers.js'
import { type Ranking, rankClusters } from './ranking.js'
import { reasonsFor } from './reasons.js'
import { type Satisfied, satisfiedBy } from './satisfied.js'
import { selectBest } from './select.js'
import { isHard } from './spread.js'
import type { ClusterSets, SchedulingState } from './state.js'
import { columnsOf, type ScoreColumn } from './totals.js'

/** The last time that a Date can have. A toleration of more seconds never ends. */
const LATEST_TIME = 8.64e15

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
  /** Why nothing can be selected although the spec is valid: CEL expressions that cost too much. */
  readonly problem?: Misconfigured
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

/** Schedules a placement: filters the candidates, scores the rest, and selects the best. */
export function schedule(
  compiled: CompiledPlacement,
  sets: ClusterSets,
  candidates: readonly ClusterFacts[],
  state: SchedulingState,
): Schedule {
  const ranking = withinCost(compiled, candidates.length, () => rankClusters(compiled, candidates, state))
  return ranking instanceof Misconfigured
    ? { ...misconfiguredSchedule(sets, candidates), problem: ranking }
    : scheduleOf(compiled, sets, candidates, state, ranking)
}

/** The schedule for a ranking. */
export function scheduleOf(
  compiled: CompiledPlacement,
  sets: ClusterSets,
  candidates: readonly ClusterFacts[],
  state: SchedulingState,
  ranking: Ranking,
): Schedule {
  const { feasible, totals, selected, expiry } = ranking
  const { clusters } = feasible
  const reasons = reasonsFor(compiled, candidates, ranking, state)
  return {
    selected: selected.map((index) => {
      const facts = clusters[index] as ClusterFacts
      return { cluster: facts.name, facts, score: totals[index] as number, reason: reasons.get(facts.name) ?? '' }
    }),
    feasible: clusters.length,
    satisfied: satisfiedFor(compiled, sets, candidates.length, ranking),
    nextAt: expiry.nextAt <= LATEST_TIME ? new Date(expiry.nextAt) : undefined,
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

function satisfiedFor(
  { numberOfClusters, spread }: CompiledPlacement,
  sets: ClusterSets,
  candidates: number,
  { feasible: { clusters }, selected }: Ranking,
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

function resultOf({ name, weight, scores }: ScoreColumn, clusters: readonly ClusterFacts[]): PrioritizerResult {
  const scored = clusters.flatMap((cluster, index): [string, number][] => {
    const score = scores[index] as number
    return Number.isNaN(score) ? [] : [[cluster.name, score]]
  })
  return { name, weight, scores: Object.fromEntries(scored) }
}

function aggregate({ feasible: { clusters }, totals }: Ranking): ClusterScore[] {
  return selectBest(clusters, totals, clusters.length).map((index) => ({
    clusterName: (clusters[index] as ClusterFacts).name,
    score: totals[index] as number,
  }))
}

function* totalsByCandidate({ feasible: { clusters }, totals }: Ranking): Iterable<ClusterScore> {
  for (const [index, { name }] of clusters.entries()) yield { clusterName: name, score: totals[index] as number }
}
