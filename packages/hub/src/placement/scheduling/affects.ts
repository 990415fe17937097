import type { CompiledPlacement } from './compile.js'
import { isCostly } from './costly-placements.js'
import type { ClusterFacts } from './facts.js'
import { droppedBy } from './filter.js'
import { groupOf } from './groups.js'
import { topologyValue } from './spread.js'
import type { SchedulingState } from './state.js'
import { checkTaints } from './tolerations.js'

/**
 * Whether a change of a cluster can change the result of a placement. `before` is undefined for a cluster that is new in the
 * sets of the placement, `after` for one that has left them. A cluster that filters drop before and after does not matter.
 */
export function affects(
  compiled: CompiledPlacement,
  before: ClusterFacts | undefined,
  after: ClusterFacts | undefined,
  state: SchedulingState,
): boolean {
  if (before === after) return false
  if (isCostly(compiled)) return before === undefined || after === undefined
  const passedBefore = before !== undefined && droppedBy(compiled, before, state) === undefined
  const passesAfter = after !== undefined && droppedBy(compiled, after, state) === undefined
  if (!passedBefore || !passesAfter) return passedBefore || passesAfter || isNoLongerDecided(before, after, state)
  const { reads, spread, groups } = compiled
  return (
    (reads.cpu && !Object.is(before.cpu, after.cpu)) ||
    (reads.memory && !Object.is(before.memory, after.memory)) ||
    taintsOf(compiled, before, state) !== taintsOf(compiled, after, state) ||
    spread.some((constraint) => topologyValue(constraint, before) !== topologyValue(constraint, after)) ||
    groupOf(groups, before) !== groupOf(groups, after)
  )
}

/** A decided cluster that does not match, for example after a restart of the hub, must leave the decisions. */
function isNoLongerDecided(
  before: ClusterFacts | undefined,
  after: ClusterFacts | undefined,
  { decided }: SchedulingState,
): boolean {
  const name = (after ?? before)?.name
  return name !== undefined && decided.has(name)
}

/** What taints that are tolerated or avoided change: the total, and the time until which they are tolerated. */
function taintsOf({ tolerations }: CompiledPlacement, facts: ClusterFacts, { decided, now }: SchedulingState): string {
  const { avoided, until } = checkTaints(facts, tolerations, decided.has(facts.name), now.getTime())
  return `${avoided} ${until}`
}
