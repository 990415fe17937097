import {
  formatRequirement,
  type LabelRequirement,
  type LabelSelector,
  type Labels,
  satisfiesRequirement,
} from '@orrery/kinds/values'
import type { CelFailure } from './cel-selector.js'
import type { CompiledPlacement } from './compile.js'
import type { ClusterFacts, TaintFacts } from './facts.js'
import type { FilterName } from './filter.js'
import { type CompiledSelector, matchesPredicates } from './predicates.js'
import type { SchedulingState } from './state.js'
import { checkTaints } from './tolerations.js'

/** Which filter drops a cluster, and why. */
export interface DropReason {
  readonly name: FilterName
  readonly reason: string
}

/** The first filter that drops a cluster, with the reason. Undefined if the cluster passes all. */
export function dropReason(
  compiled: CompiledPlacement,
  facts: ClusterFacts,
  state: SchedulingState,
): DropReason | undefined {
  const { predicates, tolerations } = compiled
  if (!matchesPredicates(predicates, facts, state)) {
    const failures = predicates.map((predicate) => mismatchesOf(predicate, facts, state).join(' and '))
    return { name: 'Predicate', reason: [...new Set(failures)].join(', or ') }
  }
  const { blocking } = checkTaints(facts, tolerations, state.decided.has(facts.name), state.now.getTime())
  if (blocking !== undefined) return { name: 'TaintToleration', reason: untolerated(compiled, blocking) }
  const excluded = state.excluded?.(facts.name)
  return excluded === undefined ? undefined : { name: 'Failover', reason: excluded }
}

/** The requirements of one predicate that a cluster does not meet. */
export function unmetRequirements(
  { labels, claims, cel }: CompiledSelector,
  facts: ClusterFacts,
  state: SchedulingState,
): { labels: LabelRequirement[]; claims: LabelRequirement[]; expression: CelFailure | undefined } {
  return {
    labels: unmet(labels, facts.labels),
    claims: unmet(claims, facts.claims),
    expression: cel?.failure(facts, state),
  }
}

function unmet({ requirements }: LabelSelector, labels: Labels): LabelRequirement[] {
  return requirements.filter((requirement) => !satisfiesRequirement(requirement, labels[requirement.key]))
}

function mismatchesOf(predicate: CompiledSelector, facts: ClusterFacts, state: SchedulingState): string[] {
  const { labels, claims, expression } = unmetRequirements(predicate, facts, state)
  return [
    ...labels.map((requirement) => mismatch('label', requirement, facts.labels)),
    ...claims.map((requirement) => mismatch('claim', requirement, facts.claims)),
    ...(expression === undefined ? [] : [`CEL expression ${JSON.stringify(expression.source)} ${expression.problem}`]),
  ]
}

function mismatch(what: 'label' | 'claim', requirement: LabelRequirement, labels: Labels): string {
  const value = labels[requirement.key]
  const is = typeof value === 'string' ? `is ${JSON.stringify(value)}` : 'is not set'
  return `${what} ${requirement.key} ${is}, and ${JSON.stringify(formatRequirement(requirement))} is required`
}

/** `unreachable (NoSelect)`, `gpu=true (NoSelect)`. */
export function formatTaint({ key, value, effect }: TaintFacts): string {
  return `${key}${value === '' ? '' : `=${value}`} (${effect})`
}

function untolerated({ tolerations }: CompiledPlacement, taint: TaintFacts): string {
  const hasExpired = tolerations.lastsFor(taint) !== undefined
  return `taint ${formatTaint(taint)} is ${hasExpired ? 'no longer' : 'not'} tolerated`
}
