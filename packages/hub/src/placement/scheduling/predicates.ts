import type { ClusterPredicate, GroupClusterSelector } from '@orrery/api'
import { CelBudget } from '@orrery/cel'
import { everyLabels, type LabelSelector, type LabelSelectorSpec, labelSelectorFrom } from '@orrery/kinds/values'
import { type CelMeter, CelSelector } from './cel-selector.js'
import type { ClusterFacts } from './facts.js'
import { Misconfigured } from './misconfigured.js'
import type { SchedulingState } from './state.js'

/** A cluster selector, compiled. A cluster must match all parts. */
export interface CompiledSelector {
  readonly labels: LabelSelector
  readonly claims: LabelSelector
  readonly cel: CelSelector | undefined
}

/** Compiles the predicates of a placement. A cluster must match one of them. Throws `Misconfigured`. */
export function compilePredicates(predicates: readonly ClusterPredicate[]): CompiledSelector[] {
  const budget = new CelBudget()
  return predicates.map(({ requiredClusterSelector }, index) => {
    const path = `spec.predicates[${index}].requiredClusterSelector`
    const expressions = requiredClusterSelector?.celSelector?.celExpressions ?? []
    const celPath = `${path}.celSelector.celExpressions`
    const cel = expressions.length === 0 ? undefined : new CelSelector(expressions, celPath, budget)
    return { ...compileGroupSelector(requiredClusterSelector, path), cel }
  })
}

/** Compiles a selector without CEL, such as that of a decision group. Throws `Misconfigured`. */
export function compileGroupSelector(selector: GroupClusterSelector | undefined, path: string): CompiledSelector {
  const { labelSelector, claimSelector } = selector ?? {}
  return {
    labels: compileLabels(labelSelector, `${path}.labelSelector`),
    claims: compileLabels(claimSelector, `${path}.claimSelector`),
    cel: undefined,
  }
}

/** An absent selector selects everything. */
function compileLabels(selector: LabelSelectorSpec | undefined, field: string): LabelSelector {
  if (selector === undefined) return everyLabels
  try {
    return labelSelectorFrom(selector)
  } catch (error) {
    throw new Misconfigured(field, (error as Error).message, { cause: error })
  }
}

function selects(
  { labels, claims, cel }: CompiledSelector,
  facts: ClusterFacts,
  state: SchedulingState,
  meter: CelMeter | undefined,
): boolean {
  if (!labels.matches(facts.labels) || !claims.matches(facts.claims)) return false
  return cel === undefined || cel.matches(facts, state, meter)
}

/** Whether a cluster matches one of the predicates. Without predicates, every cluster matches. */
export function matchesPredicates(
  predicates: readonly CompiledSelector[],
  facts: ClusterFacts,
  state: SchedulingState,
  meter: CelMeter | undefined = undefined,
): boolean {
  if (predicates.length === 0) return true
  for (const predicate of predicates) if (selects(predicate, facts, state, meter)) return true
  return false
}
