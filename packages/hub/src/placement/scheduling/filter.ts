import { CelMeter } from './cel-selector.js'
import type { CompiledPlacement } from './compile.js'
import type { ClusterFacts } from './facts.js'
import { matchesPredicates } from './predicates.js'
import type { SchedulingState } from './state.js'
import { checkTaints } from './tolerations.js'

/** The filters, in order. Failover is specific to Orrery. */
export const FILTERS = ['Predicate', 'TaintToleration', 'Failover'] as const
export type FilterName = (typeof FILTERS)[number]

/** The clusters that pass all filters. */
export interface Feasible {
  readonly clusters: readonly ClusterFacts[]
  /** The number of PreferNoSelect taints that are not tolerated, by cluster. Undefined if there are none. */
  readonly avoided: Float64Array | undefined
  /** When a toleration ends, in milliseconds. */
  readonly nextAt: number
}

/** Applies the filters to candidates. Throws `Misconfigured` if CEL expressions cost too much. */
export function filterClusters(
  compiled: CompiledPlacement,
  candidates: readonly ClusterFacts[],
  state: SchedulingState,
): Feasible {
  const { predicates, tolerations } = compiled
  if (predicates.length === 0 && state.excluded === undefined && candidates.every(isUntainted)) {
    return { clusters: candidates, avoided: undefined, nextAt: Number.POSITIVE_INFINITY }
  }
  const meter = new CelMeter(candidates.length)
  const clusters: ClusterFacts[] = []
  const now = state.now.getTime()
  let nextAt = Number.POSITIVE_INFINITY
  let avoided: Float64Array | undefined
  for (const facts of candidates) {
    if (!matchesPredicates(predicates, facts, state, meter)) continue
    if (facts.taints.length > 0) {
      const result = checkTaints(facts, tolerations, state.decided.has(facts.name), now)
      if (result.blocking !== undefined || state.excluded?.(facts.name) !== undefined) continue
      if (result.until < nextAt) nextAt = result.until
      if (result.avoided > 0) {
        avoided ??= new Float64Array(candidates.length)
        avoided[clusters.length] = result.avoided
      }
    } else if (state.excluded?.(facts.name) !== undefined) continue
    clusters.push(facts)
  }
  return { clusters, avoided, nextAt }
}

function isUntainted({ taints }: ClusterFacts): boolean {
  return taints.length === 0
}

/** The first filter that drops a cluster. Undefined if the cluster is feasible. */
export function droppedBy(
  compiled: CompiledPlacement,
  facts: ClusterFacts,
  state: SchedulingState,
): FilterName | undefined {
  if (!matchesPredicates(compiled.predicates, facts, state)) return 'Predicate'
  const isDecided = state.decided.has(facts.name)
  const { blocking } = checkTaints(facts, compiled.tolerations, isDecided, state.now.getTime())
  if (blocking !== undefined) return 'TaintToleration'
  return state.excluded?.(facts.name) === undefined ? undefined : 'Failover'
}
