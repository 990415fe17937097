import {
  type ManifestWork,
  type ManifestWorkReplicaSetSummary,
  type PlacementSummary,
  WorkCondition,
} from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'
import { clustersFor, type Members } from './members.js'
import type { PlacementView } from './placements.js'

/** All numbers of a summary. */
export type Counts = Required<ManifestWorkReplicaSetSummary>

const { Applied, Available, Degraded, Progressing } = WorkCondition

/** How the works of some clusters fare. Only those made from the latest template count for what they say. */
export function summarize(clusters: Iterable<string>, members: Members): Counts {
  const counts: Counts = {
    desiredTotal: 0,
    total: 0,
    updated: 0,
    applied: 0,
    available: 0,
    progressing: 0,
    degraded: 0,
  }
  for (const cluster of clusters) {
    counts.desiredTotal++
    const member = members.get(cluster)
    if (member?.work === undefined || isBeingDeleted(member.work)) continue
    counts.total++
    if (!member.isUpdated) continue
    counts.updated++
    if (saysNow(member.work, Applied)) counts.applied++
    if (saysNow(member.work, Available)) counts.available++
    if (saysNow(member.work, Progressing)) counts.progressing++
    if (saysNow(member.work, Degraded)) counts.degraded++
  }
  return counts
}

/** How the works for one placement fare. */
export function summarizePlacement(view: PlacementView, members: Members): PlacementSummary {
  const summary = summarize(clustersFor(view, members), members)
  return {
    name: view.reference.name,
    availableDecisionGroups: `${view.groups.length} (${summary.updated} / ${summary.desiredTotal} clusters applied)`,
    summary,
  }
}

/** Whether a condition is true, and not said of an older generation of a work. Not every agent says of which one. */
function saysNow({ metadata: { generation }, status }: ManifestWork, type: string): boolean {
  const condition = findCondition(status?.conditions, type)
  return condition?.status === 'True' && (condition.observedGeneration ?? generation) === generation
}
