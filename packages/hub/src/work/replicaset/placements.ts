import {
  type LocalPlacementReference,
  type Placement,
  type PlacementDecision,
  SCHEDULING_DISABLED_ANNOTATION,
} from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import { isBeingDeleted } from '@orrery/kube'
import { type ClusterGroup, groupsOf } from '../../rollout/index.js'

/**
 * What a placement says of where works are to be.
 *
 * | state     | works come                     | works go                        |
 * |-----------|--------------------------------|---------------------------------|
 * | known     | where its decisions name       | from where they do not name any more |
 * | unsettled | where its decisions name       | from nowhere yet: some decision may be being rewritten |
 * | undecided | nowhere                        | from nowhere: it has not said anything yet |
 * | missing   | nowhere                        | from nowhere: its absence says nothing about clusters |
 */
export interface PlacementView {
  readonly reference: LocalPlacementReference
  readonly state: 'known' | 'unsettled' | 'undecided' | 'missing'
  readonly groups: readonly ClusterGroup[]
  /** What is wrong, unless it is known. */
  readonly problem?: string
  /** When what is unsettled now counts as known. */
  readonly settledAt?: Date
}

/** Whoever rewrites decisions is done long before; a placement that still counts more clusters counts them wrong. */
const SETTLING_MS = 5_000

/**
 * How many clusters the decisions of a placement may name. Clusters that do not exist cost as much as others, so without a bound
 * whoever writes decisions can keep the hub busy and fill its memory.
 */
export const MOST_DECISIONS = 20_000

/** Looks at a placement and its decisions. */
export function viewPlacement(
  reference: LocalPlacementReference,
  placement: Placement | undefined,
  decisions: readonly PlacementDecision[],
): PlacementView {
  const silent = (state: 'undecided' | 'missing', problem: string) => ({ reference, state, groups: [], problem })
  if (placement === undefined) return silent('missing', 'there is no such placement')
  if (isBeingDeleted(placement)) return silent('missing', 'it is being deleted')
  if (decisions.length === 0) return silent('undecided', 'there is no decision of it yet')
  const named = decisions.reduce((sum, { status }) => sum + (status?.decisions?.length ?? 0), 0)
  if (named > MOST_DECISIONS) {
    return silent('undecided', `its decisions name ${named} clusters, and ${MOST_DECISIONS} are allowed`)
  }
  const groups = groupsOf(decisions)
  const decided = groups.reduce((sum, { clusters }) => sum + clusters.length, 0)
  const selected = placement.status?.numberOfSelectedClusters ?? 0
  const isScheduledElsewhere = placement.metadata.annotations?.[SCHEDULING_DISABLED_ANNOTATION] === 'true'
  if (selected <= decided || isScheduledElsewhere) return { reference, state: 'known', groups }
  const problem = `it has ${selected} clusters, and its decisions name ${decided} so far`
  return { reference, state: 'unsettled', groups, problem }
}

/** The same with what is unsettled taken for known when nobody has written any of it for a while. Needs `managedFields`. */
export function settled(view: PlacementView, written: readonly KubeObject[], now: Date): PlacementView {
  if (view.state !== 'unsettled') return view
  const times = written.flatMap(({ metadata }) =>
    (metadata.managedFields ?? []).map(({ time = '' }) => Date.parse(time)),
  )
  const settledAt = new Date(Math.max(0, ...times.filter(Number.isFinite)) + SETTLING_MS)
  return now < settledAt ? { ...view, settledAt } : { ...view, state: 'known' }
}

/** Whether a placement says anything about clusters. If not, those that have works for it keep them. */
export function isSilent({ state }: PlacementView): boolean {
  return state === 'undecided' || state === 'missing'
}

/** The clusters that a placement has decided for, in order of their groups. */
export function clustersOf({ groups }: PlacementView): string[] {
  return groups.flatMap(({ clusters }) => clusters)
}
