import { droppedBy } from './scheduling/filter.js'
import {
  affects,
  type ClusterFacts,
  type CompiledPlacement,
  MANAGED_CLUSTER_SCORE,
  type SchedulingState,
} from './scheduling/index.js'
import type { ClusterChange } from './state/cluster-set-index.js'

/** What a placement reads, computed when it is needed. */
export interface Readings {
  state(): SchedulingState
  candidates(): readonly ClusterFacts[]
}

/**
 * Whether a change of a cluster can change the result of a placement that has it as a candidate. It is asked for every placement
 * of a set, so that fields which the placement does not read are left out first. CEL expressions can be expensive: they are
 * evaluated when it is the placement's turn.
 */
export function isAffected(
  compiled: CompiledPlacement | undefined,
  { before, after, hasMoved, fields }: ClusterChange,
  readings: Readings,
): boolean {
  if (hasMoved || before === undefined || after === undefined) return true
  if (compiled === undefined) return false
  const { reads, predicates, spread, groups } = compiled
  if (reads.cel) return true
  const readsLabels = predicates.length > 0 || spread.length > 0 || groups.named.length > 0
  const isRead =
    fields.taints || (fields.labels && readsLabels) || (fields.cpu && reads.cpu) || (fields.memory && reads.memory)
  if (!isRead) return false
  const state = readings.state()
  if (!affects(compiled, before, after, state)) return false
  const isLeaving = !state.decided.has(after.name) && droppedBy(compiled, after, state) !== undefined
  return !isLeaving || affectsOthers(compiled, before, state, readings.candidates())
}

/** Whether a cluster that was not selected affects the selection of others, by the scale of their scores or by its topology. */
function affectsOthers(
  compiled: CompiledPlacement,
  cluster: ClusterFacts,
  state: SchedulingState,
  candidates: readonly ClusterFacts[],
): boolean {
  const { reads, spread } = compiled
  if (spread.length > 0 || reads.scores.some(({ resource }) => resource === MANAGED_CLUSTER_SCORE)) return true
  const feasible = (other: ClusterFacts) =>
    other.name !== cluster.name && droppedBy(compiled, other, state) === undefined
  return (
    (reads.cpu && isExtreme('cpu', cluster, candidates, feasible)) ||
    (reads.memory && isExtreme('memory', cluster, candidates, feasible))
  )
}

/** How many other clusters are compared. */
const MAX_COMPARED = 200

/** Whether a cluster may have the lowest or the highest amount of all feasible clusters: then it sets the scale of scores. */
function isExtreme(
  resource: 'cpu' | 'memory',
  cluster: ClusterFacts,
  candidates: readonly ClusterFacts[],
  isFeasible: (other: ClusterFacts) => boolean,
): boolean {
  const amount = cluster[resource]
  if (Number.isNaN(amount)) return false
  let hasLower = false
  let hasHigher = false
  for (const other of candidates.slice(0, MAX_COMPARED)) {
    const isLower = other[resource] <= amount
    const isHigher = other[resource] >= amount
    if (!((isLower && !hasLower) || (isHigher && !hasHigher)) || !isFeasible(other)) continue
    hasLower ||= isLower
    hasHigher ||= isHigher
    if (hasLower && hasHigher) return false
  }
  return true
}
