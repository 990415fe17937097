import { isDeepStrictEqual } from 'node:util'
import { clusterStateOf, ManagedCluster, ManagedClusterCondition, RegistrationEvent } from '@orrery/api'
import { Event } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import type { Informers } from '@orrery/kube'
import type { ClusterReport } from './messages.js'

/** Reports the state of each cluster whenever it changes. */
export function reportClusters(informers: Informers, notify: (report: ClusterReport) => void): void {
  informers.of(ManagedCluster).subscribe(({ before, after }) => {
    if (after === undefined) return notify(departureOf(before))
    const report = reportOf(after)
    const last = before && reportOf(before)
    if (last === undefined || !isDeepStrictEqual(report, last)) notify(report)
  })
}

/**
 * Reports that the hub denies a certificate to an agent because another one is active under the name of its cluster.
 * The agent cannot know the reason; the hub records an event. Older events belong to an earlier start.
 */
export function reportTakenNames(
  informers: Informers,
  since: Date,
  notify: (cluster: string, detail: string) => void,
): void {
  const events = informers.of(Event, { fieldSelector: `reason=${RegistrationEvent.NameTaken}` })
  events.subscribe(({ after }) => {
    const cluster = after?.regarding?.name
    if (after === undefined || cluster === undefined || lastTime(after) < since.getTime()) return
    notify(cluster, `${RegistrationEvent.NameTaken}: ${after.note ?? ''}`)
  })
}

/** When the event last occurred. Times of events may lack fractions of a second. */
function lastTime({ metadata, eventTime, series, deprecatedLastTimestamp }: Event): number {
  const times = [metadata.creationTimestamp, eventTime, deprecatedLastTimestamp, series?.lastObservedTime]
  return Math.max(...times.map((time) => (time ? Date.parse(time) : 0))) + 999
}

/** The report on a cluster that was detached. */
function departureOf({ metadata: { name } }: ManagedCluster): ClusterReport {
  return {
    name,
    phase: 'unavailable',
    isAccepted: false,
    detail: 'it was detached from the hub: it rejoins when you restart the fleet',
  }
}

/** The report on a cluster, by its state on the hub. */
export function reportOf(cluster: ManagedCluster): ClusterReport {
  const { name } = cluster.metadata
  const { phase, isAccepted } = clusterStateOf(cluster)
  const messageOf = (type: string) => findCondition(cluster.status?.conditions, type)?.message ?? ''
  switch (phase) {
    case 'pending':
      return { name, phase: 'joining', isAccepted }
    case 'denied':
      return { name, phase, isAccepted, detail: `run \`orrery accept --clusters ${name}\`` }
    case 'refused':
      return { name, phase: 'unavailable', isAccepted, detail: messageOf(ManagedClusterCondition.HubAccepted) }
    case 'unavailable':
      return { name, phase, isAccepted, detail: messageOf(ManagedClusterCondition.Available) }
    default:
      return { name, phase, isAccepted }
  }
}
