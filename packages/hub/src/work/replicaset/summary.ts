import {
  type ManifestWork,
  type ManifestWorkReplicaSetSummary,
  type PlacementSummary,
  WorkCondition,
} from '@orrery/api'
import type { Mutable } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'
import { clustersFor, type Members } from './members.js'
import type { ReferencedPlacement } from './referenced-placement.js'

/** All numbers of a summary. */
export type Counts = Mutable<Required<ManifestWorkReplicaSetSummary>>

const { Applied, Available, Degraded, Progressing } = WorkCondition

/** Counts the works of some clusters by condition. Conditions count only for works of the latest template. */
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
    if (isTrueNow(member.work, Applied)) counts.applied++
    if (isTrueNow(member.work, Available)) counts.available++
    if (isTrueNow(member.work, Progressing)) counts.progressing++
    if (isTrueNow(member.work, Degraded)) counts.degraded++
  }
  return counts
}

/** Counts the works of one placement. */
export function summarizePlacement(view: ReferencedPlacement, members: Members): PlacementSummary {
  const summary = summarize(clustersFor(view, members), members)
  return {
    name: view.reference.name,
    availableDecisionGroups: `${view.groups.length} (${summary.updated} / ${summary.desiredTotal} clusters applied)`,
    summary,
  }
}

/** Whether a condition is True, and not of an older generation. Not every agent reports the generation. */
function isTrueNow({ metadata: { generation }, status }: ManifestWork, type: string): boolean {
  const condition = findCondition(status?.conditions, type)
  return condition?.status === 'True' && (condition.observedGeneration ?? generation) === generation
}
