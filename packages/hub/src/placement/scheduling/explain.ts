import type { CompiledPlacement } from './compile.js'
import { withinCost } from './costly-placements.js'
import { dropReason } from './drop-reason.js'
import type { ClusterExplanation, PlacementExplanation } from './explanation.js'
import type { ClusterFacts } from './facts.js'
import { FILTERS } from './filter.js'
import { layoutDecisions } from './layout.js'
import { Misconfigured } from './misconfigured.js'
import { type Ranking, rankClusters } from './ranking.js'
import { remediesForDropped, remediesForRanked, whyNotSelected } from './remedies.js'
import { type FilterResult, misconfiguredSchedule, type Schedule, scheduleOf } from './schedule.js'
import { lacksScore, scoreDetail } from './score-detail.js'
import { selectBest } from './select.js'
import type { ClusterSets, SchedulingState } from './state.js'
import { columnsOf, type ScoreColumn } from './totals.js'

/** Explains, for every candidate, why a placement selects it or not. */
export function explain(
  compiled: CompiledPlacement,
  sets: ClusterSets,
  candidates: readonly ClusterFacts[],
  state: SchedulingState,
): PlacementExplanation {
  const ranking = withinCost(compiled, candidates.length, () => rankClusters(compiled, candidates, state))
  if (ranking instanceof Misconfigured) return explainMisconfigured(compiled, ranking, sets, candidates)
  const schedule = scheduleOf(compiled, sets, candidates, state, ranking)
  const columns = columnsOf(compiled, ranking.feasible, state)
  const { namespace, name, numberOfClusters } = compiled
  return {
    namespace,
    name,
    ...(compiled.problem !== undefined && { problem: compiled.problem.message }),
    clusterSets: sets,
    ...(numberOfClusters !== undefined && { numberOfClusters }),
    selected: schedule.selected.length,
    satisfied: schedule.satisfied,
    filters: filterSteps(candidates.length, schedule.filterResults()),
    prioritizers: columns.map(({ name: prioritizer, weight }) => ({ name: prioritizer, weight })),
    clusters: explainClusters({ compiled, candidates, state, ranking, columns, schedule }),
  }
}

/** Explains a placement whose spec cannot be compiled. */
export function explainMisconfigured(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  problem: Misconfigured,
  sets: ClusterSets,
  candidates: readonly ClusterFacts[],
): PlacementExplanation {
  const { satisfied } = misconfiguredSchedule(sets, candidates)
  return {
    namespace,
    name,
    problem: problem.message,
    clusterSets: sets,
    selected: 0,
    satisfied,
    filters: [],
    prioritizers: [],
    clusters: [],
  }
}

interface Explained {
  readonly compiled: CompiledPlacement
  readonly candidates: readonly ClusterFacts[]
  readonly state: SchedulingState
  readonly ranking: Ranking
  readonly columns: readonly ScoreColumn[]
  readonly schedule: Schedule
}

function filterSteps(candidates: number, results: readonly FilterResult[]): PlacementExplanation['filters'] {
  return results.map(({ filteredClusters }, index) => ({
    name: FILTERS[index] as (typeof FILTERS)[number],
    before: index === 0 ? candidates : (results[index - 1] as FilterResult).filteredClusters.length,
    after: filteredClusters.length,
  }))
}

function explainClusters(explained: Explained): ClusterExplanation[] {
  const { compiled, candidates, state, ranking } = explained
  const { feasible, totals, selected } = ranking
  const groups = groupsOf(explained)
  const chosen = new Set(selected)
  const ranks = new Map(selectBest(feasible.clusters, totals, totals.length).map((index, at) => [index, at + 1]))
  const ranked = feasible.clusters.map((facts, index): ClusterExplanation => {
    const isSelected = chosen.has(index)
    const rank = ranks.get(index) as number
    const decisionGroup = groups.get(facts.name)
    return {
      cluster: facts.name,
      outcome: isSelected ? 'Selected' : 'NotSelected',
      scores: scoresOf(explained, facts, index),
      total: totals[index] as number,
      rank,
      ...(decisionGroup !== undefined && { decisionGroup }),
      reason: isSelected
        ? `Selected: rank ${rank} of ${feasible.clusters.length} with a total of ${totals[index]}.`
        : whyNotSelected(compiled, ranking, index),
      toBeSelected: isSelected ? [] : remediesForRanked(compiled, ranking, explained.columns, index, rank, state),
    }
  })
  const isFeasible = new Set(feasible.clusters)
  const dropped = candidates.filter((facts) => !isFeasible.has(facts))
  const bySelection = selected.map((index) => ranked[index] as ClusterExplanation)
  const notSelected = ranked.filter(({ outcome }) => outcome === 'NotSelected')
  return [
    ...bySelection,
    ...notSelected.sort((a, b) => (a.rank as number) - (b.rank as number)),
    // The candidates are sorted by name.
    ...dropped.map((facts) => explainDropped(explained, facts)),
  ]
}

function explainDropped({ compiled, ranking, state }: Explained, facts: ClusterFacts): ClusterExplanation {
  const filter = dropReason(compiled, facts, state)
  return {
    cluster: facts.name,
    outcome: 'FilteredOut',
    ...(filter !== undefined && { filter }),
    reason: `Filtered out by ${filter?.name}: ${filter?.reason}.`,
    toBeSelected: remediesForDropped(compiled, ranking, facts, state),
  }
}

function scoresOf({ compiled, columns, state }: Explained, facts: ClusterFacts, index: number) {
  return columns.map(({ name, weight, scores }, at) => {
    const score = scores[index] as number
    const prioritizer = compiled.prioritizers[at]
    const detail = scoreDetail(compiled, prioritizer, facts, state)
    return {
      prioritizer: name,
      weight,
      ...(!Number.isNaN(score) && !lacksScore(prioritizer, facts, state) && { score }),
      ...(detail !== undefined && { detail }),
    }
  })
}

function groupsOf({ compiled, schedule, state }: Explained): Map<string, { index: number; name: string }> {
  const { decisions, groups } = layoutDecisions(compiled, schedule, state)
  const byObject = new Map(
    groups.flatMap((group) => {
      const { decisionGroupIndex: index = 0, decisionGroupName: name = '' } = group
      return (group.decisions ?? []).map((object) => [object, { index, name }] as const)
    }),
  )
  return new Map(
    decisions.flatMap((object) => {
      const group = byObject.get(object.name) ?? { index: 0, name: '' }
      return object.decisions.map(({ clusterName }) => [clusterName, group] as const)
    }),
  )
}
