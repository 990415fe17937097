import { affects, type SchedulingState } from './scheduling/index.js'
import type { ClusterChange } from './state/cluster-set-index.js'
import type { KnownPlacement } from './state/placement-index.js'

/** Whether a change of a cluster can change the result of a placement that has it as a candidate. */
export function isAffected(
  { compiled }: KnownPlacement,
  { before, after, hasMoved }: ClusterChange,
  stateOf: () => SchedulingState,
): boolean {
  if (compiled === undefined) return hasMoved
  if (hasMoved || before === undefined || after === undefined) return true
  return affects(compiled, before, after, stateOf())
}
