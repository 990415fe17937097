import { ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { findCondition, hasCondition, type Informers } from '@orrery/kube'
import type { ClusterReport } from './messages.js'

/** Tells how far each cluster is, whenever that changes. */
export function reportClusters(informers: Informers, tell: (report: ClusterReport) => void): void {
  informers.of(ManagedCluster).subscribe(({ before, after }) => {
    if (after === undefined) return tell(departureOf(before))
    const report = reportOf(after)
    const last = before && reportOf(before)
    if (report.phase !== last?.phase || report.detail !== last.detail) tell(report)
  })
}

/** What is to be said of a cluster that the hub does not know any more. */
function departureOf({ metadata: { name } }: ManagedCluster): ClusterReport {
  return {
    name,
    phase: 'unavailable',
    detail: 'it was detached from the hub: it comes back when the fleet is started again',
  }
}

/** How far a cluster is, by its conditions. */
export function reportOf({ metadata: { name }, status }: ManagedCluster): ClusterReport {
  const conditions = status?.conditions
  const available = findCondition(conditions, ManagedClusterCondition.Available)
  const accepted = findCondition(conditions, ManagedClusterCondition.HubAccepted)
  if (accepted?.status === 'False') return { name, phase: 'unavailable', detail: accepted.message }
  if (available?.status === 'True') return { name, phase: 'available' }
  if (available !== undefined) return { name, phase: 'unavailable', detail: available.message }
  if (hasCondition(conditions, ManagedClusterCondition.Joined, 'True')) return { name, phase: 'joined' }
  return { name, phase: accepted?.status === 'True' ? 'accepted' : 'joining' }
}
