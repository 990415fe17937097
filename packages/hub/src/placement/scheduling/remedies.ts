import type { SpreadConstraint } from '@orrery/api'
import type { LabelRequirement } from '@orrery/kinds/values'
import type { CompiledPlacement } from './compile.js'
import { formatTaint, unmetRequirements } from './drop-reason.js'
import type { ClusterFacts } from './facts.js'
import { MAX_SCORE } from './prioritizers.js'
import type { Ranking } from './ranking.js'
import { compareRank } from './select.js'
import { isHard, topologyValue } from './spread.js'
import { MANAGED_CLUSTER_SCORE, type SchedulingState } from './state.js'
import { blockingTaints } from './tolerations.js'
import { PREFER_NO_SELECT, type ScoreColumn } from './totals.js'

/** What would have to change for a cluster that a filter drops to be selected. */
export function remediesForDropped(
  compiled: CompiledPlacement,
  ranking: Ranking,
  facts: ClusterFacts,
  state: SchedulingState,
): string[] {
  const isDecided = state.decided.has(facts.name)
  const taints = blockingTaints(facts, compiled.tolerations, isDecided, state.now.getTime())
  const excluded = state.excluded?.(facts.name)
  return [
    ...predicateRemedies(compiled, facts, state),
    ...taints.map((taint) => `remove taint ${formatTaint(taint)}, or tolerate it in spec.tolerations`),
    ...(excluded === undefined ? [] : [failoverRemedy(state)]),
    ...rankRemedy(compiled, ranking),
  ]
}

function failoverRemedy({ returnCondition = 'the PlacementFailover' }: SchedulingState): string {
  return `meet the return condition of ${returnCondition}, or delete the PlacementFailover`
}

/** What one of the predicates requires. Several predicates are alternatives in one entry, the closest first. */
function predicateRemedies({ predicates }: CompiledPlacement, facts: ClusterFacts, state: SchedulingState): string[] {
  const remedies = predicates.map((predicate) => {
    const { labels, claims, expression } = unmetRequirements(predicate, facts, state)
    return [
      ...labels.map((requirement) => remedyFor(requirement, 'label', 'set', 'remove')),
      ...claims.map((requirement) => remedyFor(requirement, 'claim', 'report', 'do not report')),
      ...(expression === undefined ? [] : [`make the CEL expression ${JSON.stringify(expression.source)} true`]),
    ]
  })
  const [closest = [], ...others] = remedies.sort((a, b) => a.length - b.length)
  if (closest.length === 0 || others.length === 0) return closest
  const alternatives = new Set([closest, ...others].map((changes) => changes.join(' and ')))
  return [[...alternatives].join(', or ')]
}

function remedyFor({ key, operator, values }: LabelRequirement, what: string, set: string, remove: string): string {
  switch (operator) {
    case '=':
      return `${set} ${what} ${key}=${values[0]}`
    case 'in':
      return `${set} ${what} ${key} with one of ${values.join(', ')}`
    case '!':
      return `${remove} ${what} ${key}`
    case '!=':
    case 'notin':
      return `${set} ${what} ${key} with another value than ${values.join(', ')}, or ${remove} it`
    default:
      return `${set} ${what} ${key}`
  }
}

/** A cluster that passes the filters competes with the selected ones. */
function rankRemedy({ numberOfClusters }: CompiledPlacement, ranking: Ranking): string[] {
  const { selected, totals, feasible } = ranking
  const last = selected.at(-1)
  if (numberOfClusters === undefined || selected.length < numberOfClusters) return []
  if (last === undefined) return [`raise spec.numberOfClusters from ${numberOfClusters}`]
  const name = (feasible.clusters[last] as ClusterFacts).name
  return [
    `rank among the first ${numberOfClusters}: the lowest total of a selected cluster is ${totals[last]} (${name}), ` +
      'or raise spec.numberOfClusters',
  ]
}

/** Why a cluster that passes all filters is not selected, as a sentence. */
export function whyNotSelected(compiled: CompiledPlacement, ranking: Ranking, index: number): string {
  const { feasible, totals, selected } = ranking
  const { clusters } = feasible
  const last = selected.at(-1)
  const held = heldBackBy(compiled, ranking, index)
  if (held !== undefined)
    return `Not selected because of the spread constraint for ${held.constraint.topologyKey}: ${held.why}.`
  if (last === undefined) return `Not selected: spec.numberOfClusters is ${compiled.numberOfClusters}.`
  const lastName = (clusters[last] as ClusterFacts).name
  return totals[last] === totals[index]
    ? `Not selected: its total of ${totals[index]} equals that of ${lastName}, which comes first by name.`
    : `Not selected: its total of ${totals[index]} is lower than ${totals[last]} of ${lastName}, the last selected.`
}

/** What would have to change for a cluster that passes all filters to be selected. */
export function remediesForRanked(
  compiled: CompiledPlacement,
  ranking: Ranking,
  columns: readonly ScoreColumn[],
  index: number,
  rank: number,
  state: SchedulingState,
): string[] {
  const held = heldBackBy(compiled, ranking, index)
  if (held !== undefined) return [held.remedy]
  const { numberOfClusters = 0 } = compiled
  const more = `raise spec.numberOfClusters from ${numberOfClusters} to at least ${rank}`
  const { feasible, totals, selected } = ranking
  const last = selected.at(-1)
  if (last === undefined) return [more]
  const [facts, lastFacts] = [feasible.clusters[index] as ClusterFacts, feasible.clusters[last] as ClusterFacts]
  const total = totals[index] as number
  const target = (totals[last] as number) + (facts.name < lastFacts.name ? 0 : 1)
  const ways = columns.flatMap((column, at) => wayToGain(compiled, column, at, facts, index, target - total, state))
  const example = ways.length === 0 ? '' : ` (${ways.join(', or ')})`
  return [`raise its total from ${total} to at least ${target}${example}, or ${more}`]
}

/** How one score could rise far enough to gain so much. */
function wayToGain(
  { prioritizers }: CompiledPlacement,
  { name, weight, scores }: ScoreColumn,
  at: number,
  { name: cluster }: ClusterFacts,
  index: number,
  gain: number,
  state: SchedulingState,
): string[] {
  const score = Number.isNaN(scores[index]) ? 0 : (scores[index] as number)
  if (name === PREFER_NO_SELECT) return -score >= gain ? ['remove its PreferNoSelect taints'] : []
  const reads = prioritizers[at]?.reads
  const needed = weight > 0 ? score + Math.ceil(gain / weight) : score - Math.ceil(gain / -weight)
  if (Math.abs(needed) > MAX_SCORE) return []
  if (reads?.type === 'Balance' && weight > 0) {
    return [`have fewer decisions of other placements than ${state.decisionsElsewhere(cluster)}`]
  }
  if (reads?.type === 'Allocatable' && weight > 0) return [`have more allocatable ${reads.resource}`]
  // Scores of calculators can be scaled, so that a value for one cluster cannot be given.
  if (reads?.type !== 'Score' || reads.resource === MANAGED_CLUSTER_SCORE) return []
  return [`report a score of at ${weight > 0 ? 'least' : 'most'} ${needed} for ${name}`]
}

interface HeldBack {
  readonly constraint: SpreadConstraint
  readonly why: string
  readonly remedy: string
}

/** The spread constraint that keeps a cluster from being selected, if its total is not the reason. */
function heldBackBy({ spread }: CompiledPlacement, ranking: Ranking, index: number): HeldBack | undefined {
  const { feasible, totals, selected } = ranking
  const facts = feasible.clusters[index] as ClusterFacts
  const lacking = spread.find((constraint) => topologyValue(constraint, facts) === undefined && isHard(constraint))
  if (lacking !== undefined) return lacks(lacking)
  const last = selected.at(-1)
  const isBetter = last !== undefined && compareRank(feasible.clusters, totals, index, last) < 0
  const exceeded = spread.flatMap((constraint) => exceededBy(constraint, ranking, facts))
  const hard = exceeded.find(({ constraint }) => isHard(constraint))
  if (hard !== undefined) return hard
  if (!isBetter) return undefined
  const softLacking = spread.find((constraint) => topologyValue(constraint, facts) === undefined)
  return exceeded[0] ?? (softLacking && lacks(softLacking)) ?? (spread[0] && evenly(spread[0]))
}

function lacks(constraint: SpreadConstraint): HeldBack {
  const what = constraint.topologyKeyType === 'Claim' ? 'claim' : 'label'
  const { topologyKey } = constraint
  return {
    constraint,
    why: `it has no ${what} ${topologyKey}`,
    remedy: `${what === 'claim' ? 'report' : 'set'} ${what} ${topologyKey}`,
  }
}

function evenly(constraint: SpreadConstraint): HeldBack {
  const why = 'clusters with lower totals spread the selection more evenly'
  return { constraint, why, remedy: `raise maxSkew of the spread constraint for ${constraint.topologyKey}` }
}

function exceededBy(constraint: SpreadConstraint, { feasible, selected }: Ranking, facts: ClusterFacts): HeldBack[] {
  const value = topologyValue(constraint, facts)
  if (value === undefined) return []
  const counts = new Map<string, number>()
  for (const cluster of feasible.clusters) {
    const domain = topologyValue(constraint, cluster)
    if (domain !== undefined) counts.set(domain, 0)
  }
  for (const index of selected) {
    const domain = topologyValue(constraint, feasible.clusters[index] as ClusterFacts)
    if (domain !== undefined) counts.set(domain, (counts.get(domain) as number) + 1)
  }
  const { topologyKey, maxSkew = 1 } = constraint
  const own = counts.get(value) as number
  const [least, min] = [...counts].reduce((a, b) => (b[1] < a[1] ? b : a))
  if (own + 1 - min <= maxSkew) return []
  return [
    {
      constraint,
      why: `${own} clusters with ${topologyKey}=${value} are selected and ${min} with ${topologyKey}=${least}, and maxSkew is ${maxSkew}`,
      remedy:
        `add clusters with ${topologyKey}=${least}, or raise maxSkew of the spread constraint for ${topologyKey}` +
        `${isHard(constraint) ? ', or set whenUnsatisfiable to ScheduleAnyway' : ''}`,
    },
  ]
}
