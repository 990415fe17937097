import { type Placement, type PlacementDecision, SCHEDULING_DISABLED_ANNOTATION } from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import { isBeingDeleted } from '@orrery/kube'
import { type DecisionGroup, decisionGroupsOf } from './decision-groups.js'

/**
 * The decisions of a placement, and whether they are complete.
 *
 * | state     | clusters are added    | clusters are removed                                   |
 * |-----------|-----------------------|--------------------------------------------------------|
 * | decided   | those in the decisions | those that are no longer in the decisions             |
 * | updating  | those in the decisions | none yet: a decision may be in the middle of an update |
 * | undecided | none                  | none: there are no decisions yet                       |
 * | missing   | none                  | none: no placement does not mean no clusters           |
 */
export interface PlacementView {
  readonly state: 'decided' | 'updating' | 'undecided' | 'missing'
  readonly groups: readonly DecisionGroup[]
  /** What is wrong, unless the state is `decided`, as a predicate: `does not exist`. */
  readonly problem?: string
  /** When decisions that are `updating` now count as `decided`. */
  readonly settledAt?: Date
}

/** An update of decisions takes less. A placement that counts more clusters for longer has a wrong count. */
const SETTLING_MS = 5_000

/**
 * How many clusters the decisions of a placement may have. Clusters that do not exist cost as much as others: without a limit,
 * users who write decisions could keep the hub busy and exhaust its memory.
 */
export const MAX_DECISIONS = 20_000

/** The view of a placement and its decisions. */
export function viewPlacement(
  placement: Placement | undefined,
  decisions: readonly PlacementDecision[],
): PlacementView {
  const without = (state: 'undecided' | 'missing', problem: string) => ({ state, groups: [], problem })
  if (placement === undefined) return without('missing', 'does not exist')
  if (isBeingDeleted(placement)) return without('missing', 'is being deleted')
  if (decisions.length === 0) return without('undecided', 'has no decisions yet')
  const count = decisions.reduce((sum, { status }) => sum + (status?.decisions?.length ?? 0), 0)
  if (count > MAX_DECISIONS) {
    return without('undecided', `has decisions for ${count} clusters, and ${MAX_DECISIONS} are allowed`)
  }
  const groups = decisionGroupsOf(decisions)
  const decided = groups.reduce((sum, { clusters }) => sum + clusters.length, 0)
  const selected = placement.status?.numberOfSelectedClusters ?? 0
  const isScheduledElsewhere = placement.metadata.annotations?.[SCHEDULING_DISABLED_ANNOTATION] === 'true'
  if (selected <= decided || isScheduledElsewhere) return { state: 'decided', groups }
  const problem = `selects ${selected} clusters, and its decisions have ${decided} so far`
  return { state: 'updating', groups, problem }
}

/** Takes `updating` decisions for `decided` if none of these objects was written for a while. Needs their `managedFields`. */
export function settled(view: PlacementView, written: readonly KubeObject[], now: Date): PlacementView {
  if (view.state !== 'updating') return view
  const times = written.flatMap(({ metadata }) =>
    (metadata.managedFields ?? []).map(({ time = '' }) => Date.parse(time)),
  )
  const settledAt = new Date(Math.max(0, ...times.filter(Number.isFinite)) + SETTLING_MS)
  return now < settledAt ? { ...view, settledAt } : { ...view, state: 'decided' }
}

/** Whether a placement has decisions. If not, nothing changes for the clusters that it selected before. */
export function hasDecisions({ state }: PlacementView): boolean {
  return state === 'decided' || state === 'updating'
}

/** The clusters that a placement selects, in order of their decision groups. */
export function selectedClusters({ groups }: PlacementView): string[] {
  return groups.flatMap(({ clusters }) => clusters)
}
