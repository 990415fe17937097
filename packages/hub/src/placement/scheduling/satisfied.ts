import { PlacementReason } from '@orrery/api'
import type { ClusterSets } from './state.js'

/** The condition `PlacementSatisfied`. */
export interface Satisfied {
  readonly status: 'True' | 'False'
  readonly reason: PlacementReason
  readonly message: string
}

/** The condition for a result. The first cause counts. */
export function satisfiedBy(
  sets: ClusterSets,
  result: { candidates: number; selected: number; unscheduled: number; because?: string },
): Satisfied {
  const no = (reason: PlacementReason, message: string): Satisfied => ({ status: 'False', reason, message })
  const { candidates, selected, unscheduled, because } = result
  if (sets.bound.length === 0) {
    return no(
      PlacementReason.NoManagedClusterSetBindings,
      'No valid ManagedClusterSetBindings found in placement namespace',
    )
  }
  if (sets.used.length === 0) {
    const requested = sets.requested.join(',')
    return no(
      PlacementReason.NoIntersection,
      `None of ManagedClusterSets [${requested}] is bound to placement namespace`,
    )
  }
  if (candidates === 0) {
    const message = `All ManagedClusterSets [${sets.used.join(',')}] have no member ManagedCluster`
    return no(PlacementReason.AllManagedClusterSetsEmpty, message)
  }
  if (selected === 0) {
    return no(PlacementReason.NoManagedClusterMatched, 'No ManagedCluster matches any of the cluster predicate')
  }
  if (unscheduled === 0) {
    return { status: 'True', reason: PlacementReason.AllDecisionsScheduled, message: 'All cluster decisions scheduled' }
  }
  const message = `${unscheduled} cluster decisions unscheduled`
  return no(PlacementReason.NotAllDecisionsScheduled, because === undefined ? message : `${message}: ${because}`)
}
