import { type ManifestWork, ROLLED_OUT_AT_ANNOTATION, WorkCondition } from '@orrery/api'
import type { Condition, ConditionStatus } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'
import type { ClusterProgress } from '../../rollout/index.js'
import { currentCondition, hasCurrentCondition } from '../current-condition.js'
import { truncated } from './truncated.js'

const { Applied, Available, Degraded, Progressing } = WorkCondition

/**
 * The progress of a work that has the latest template. It counts from when the work got that template, so that a cluster
 * that reports nothing exceeds `progressDeadline` as well.
 *
 * | Applied | Progressing | Degraded | Available | state                |
 * |---------|-------------|----------|-----------|----------------------|
 * | any     | True        | True     |           | Failed               |
 * | not True|             |          |           | Progressing          |
 * | True    | False       |          |           | Succeeded            |
 * | True    | True        | not True |           | Progressing          |
 * | True    | not set     |          | True      | Succeeded            |
 * | True    | not set     |          | not True  | Progressing          |
 *
 * Agents of Open Cluster Management do not report Progressing. Then Available counts, unless a condition rule of the work
 * is about Progressing.
 */
export function progressOf(work: ManifestWork): ClusterProgress {
  const { deletionTimestamp } = work.metadata
  if (deletionTimestamp !== undefined) return { state: 'Progressing', since: new Date(deletionTimestamp) }
  const started = startOf(work)
  const conditions = work.status?.conditions
  const waiting: ClusterProgress = { state: 'Progressing', since: started }
  const [progressing, degraded] = [currentCondition(work, Progressing), currentCondition(work, Degraded)]
  if (progressing?.status === 'True' && degraded?.status === 'True') {
    return { state: 'Failed', since: later(started, degraded) }
  }
  if (!hasCurrentCondition(work, Applied, 'True')) return waiting
  if (degraded === undefined && findCondition(conditions, Degraded) !== undefined) return waiting
  if (progressing !== undefined) {
    const state = progressing.status === 'False' ? 'Succeeded' : 'Progressing'
    return { state, since: later(started, progressing) }
  }
  const available = currentCondition(work, Available)
  const isReported = findCondition(conditions, Progressing) !== undefined || hasRuleFor(work, Progressing)
  if (isReported || available?.status !== 'True') return waiting
  return { state: 'Succeeded', since: later(started, available) }
}

/** Why a rollout waits for a work. */
export function describeProgress(work: ManifestWork): string {
  if (isBeingDeleted(work)) return 'its previous ManifestWork is still being deleted'
  if (currentCondition(work, Applied) === undefined) return 'its agent has not reported yet'
  const find = (type: string, status: ConditionStatus) =>
    hasCurrentCondition(work, type, status) ? currentCondition(work, type) : undefined
  const cause =
    find(Applied, 'False') ?? find(Degraded, 'True') ?? find(Progressing, 'True') ?? find(Available, 'False')
  if (cause === undefined) return 'it has not reported success yet'
  return cause.message === '' ? `${cause.type} is ${cause.status}` : truncated(cause.message)
}

function startOf({ metadata }: ManifestWork): Date {
  const rolledOut = Date.parse(metadata.annotations?.[ROLLED_OUT_AT_ANNOTATION] ?? '')
  return new Date(Number.isNaN(rolledOut) ? metadata.creationTimestamp : rolledOut)
}

function later(started: Date, { lastTransitionTime }: Condition): Date {
  return new Date(Math.max(started.getTime(), Date.parse(lastTransitionTime)))
}

function hasRuleFor({ spec }: ManifestWork, type: string): boolean {
  return (spec?.manifestConfigs ?? []).some(({ conditionRules = [] }) =>
    conditionRules.some(({ condition }) => condition === type),
  )
}
