import { type ManifestWork, ROLLED_OUT_AT_ANNOTATION, WorkCondition } from '@orrery/api'
import type { Condition, ConditionStatus } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'
import type { ClusterProgress } from '../../rollout/index.js'
import { saidOf, says } from './said.js'
import { shortened } from './shortened.js'

const { Applied, Available, Degraded, Progressing } = WorkCondition

/**
 * How a work that is made from the latest template fares. It counts from when its cluster was given that template: a
 * cluster that says nothing at all takes too long in the end, too.
 *
 * | Applied | Progressing | Degraded | Available | the cluster          |
 * |---------|-------------|----------|-----------|----------------------|
 * | any     | True        | True     |           | failed               |
 * | not True|             |          |           | is progressing       |
 * | True    | False       |          |           | succeeded            |
 * | True    | True        | not True |           | is progressing       |
 * | True    | never said  |          | True      | succeeded            |
 * | True    | never said  |          | not True  | is progressing       |
 *
 * Agents that never say whether a work is progressing are taken at their word that all is there, unless a rule of the work
 * is to say so.
 */
export function progressOf(work: ManifestWork): ClusterProgress {
  const { deletionTimestamp } = work.metadata
  if (deletionTimestamp !== undefined) return { state: 'Progressing', since: new Date(deletionTimestamp) }
  const started = startOf(work)
  const conditions = work.status?.conditions
  const waiting: ClusterProgress = { state: 'Progressing', since: started }
  const [progressing, degraded] = [saidOf(work, Progressing), saidOf(work, Degraded)]
  if (progressing?.status === 'True' && degraded?.status === 'True') {
    return { state: 'Failed', since: later(started, degraded) }
  }
  if (!says(work, Applied, 'True')) return waiting
  if (degraded === undefined && findCondition(conditions, Degraded) !== undefined) return waiting
  if (progressing !== undefined) {
    const state = progressing.status === 'False' ? 'Succeeded' : 'Progressing'
    return { state, since: later(started, progressing) }
  }
  const available = saidOf(work, Available)
  const willBeSaid = findCondition(conditions, Progressing) !== undefined || hasRuleFor(work, Progressing)
  if (willBeSaid || available?.status !== 'True') return waiting
  return { state: 'Succeeded', since: later(started, available) }
}

/** What a cluster is waited for, in a few words. */
export function describeProgress(work: ManifestWork): string {
  if (isBeingDeleted(work)) return 'its former work is still being deleted'
  if (saidOf(work, Applied) === undefined) return 'its agent has not reported yet'
  const said = (type: string, status: ConditionStatus) => (says(work, type, status) ? saidOf(work, type) : undefined)
  const telling =
    said(Applied, 'False') ?? said(Degraded, 'True') ?? said(Progressing, 'True') ?? said(Available, 'False')
  if (telling === undefined) return 'it has not said that it is done'
  return telling.message === '' ? `${telling.type} is ${telling.status}` : shortened(telling.message)
}

function startOf({ metadata }: ManifestWork): Date {
  const told = Date.parse(metadata.annotations?.[ROLLED_OUT_AT_ANNOTATION] ?? '')
  return new Date(Number.isNaN(told) ? metadata.creationTimestamp : told)
}

function later(started: Date, { lastTransitionTime }: Condition): Date {
  return new Date(Math.max(started.getTime(), Date.parse(lastTransitionTime)))
}

function hasRuleFor({ spec }: ManifestWork, type: string): boolean {
  return (spec?.manifestConfigs ?? []).some(({ conditionRules = [] }) =>
    conditionRules.some(({ condition }) => condition === type),
  )
}
