import { jsonEqual } from '@orrery/kinds/values'
import { droppedBy } from './scheduling/filter.js'
import type { ClusterFacts, SchedulingState } from './scheduling/index.js'
import type { ClusterChange } from './state/cluster-set-index.js'
import type { KnownPlacement } from './state/placement-index.js'

/**
 * Whether a change of a cluster can change the result of a placement that has it as a candidate. A cluster that is filtered out
 * before and after does not count, nor does a change of fields that the placement does not read.
 */
export function isAffected(
  { compiled }: KnownPlacement,
  { before, after, hasMoved }: ClusterChange,
  stateOf: () => SchedulingState,
): boolean {
  if (compiled === undefined) return hasMoved
  if (hasMoved || before === undefined || after === undefined) return true
  const state = stateOf()
  const was = droppedBy(compiled, before, state) === undefined
  const is = droppedBy(compiled, after, state) === undefined
  if (was !== is) return true
  // Time may have filtered it out since the decision: the decision counts.
  if (!is) return state.decided.has(after.name)
  const { cpu, memory } = compiled.reads
  const readsLabels = compiled.spread.length > 0 || compiled.groups.named.length > 0
  return (
    !jsonEqual(before.taints, after.taints) ||
    (cpu && !Object.is(before.cpu, after.cpu)) ||
    (memory && !Object.is(before.memory, after.memory)) ||
    (readsLabels && !sameLabels(before, after))
  )
}

function sameLabels(before: ClusterFacts, after: ClusterFacts): boolean {
  return jsonEqual(before.labels, after.labels) && jsonEqual(before.claims, after.claims)
}
