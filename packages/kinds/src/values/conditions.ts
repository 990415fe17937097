import type { Condition, ConditionStatus } from '../kinds/meta.generated.js'
import { formatTime } from './time.js'

/** What somebody finds out about a condition; the time is worked out from what was known before. */
export interface Finding {
  readonly type: string
  readonly status: ConditionStatus
  readonly reason: string
  /** Default empty. */
  readonly message?: string
  /** `metadata.generation` of the object that was looked at. */
  readonly observedGeneration?: number | undefined
}

/** What every kind's conditions have; kinds older than `metav1.Condition` leave the rest optional. */
type AnyCondition = Pick<Condition, 'type' | 'status'> & Partial<Condition>

/** The conditions with this one as found: the same list when it was so already. Its time moves only with its status. */
export function setCondition<C extends AnyCondition>(conditions: C[] | undefined, finding: Finding, now: Date): C[] {
  const known = conditions ?? []
  const index = known.findIndex(({ type }) => type === finding.type)
  if (index < 0) return [...known, conditionFrom(finding, formatTime(now)) as C]
  const before = known[index] as C
  if (says(before, finding)) return known
  const since = before.status === finding.status ? before.lastTransitionTime : undefined
  return known.with(index, conditionFrom(finding, since ?? formatTime(now)) as C)
}

/** The conditions with all of these as found: the same list when nothing is new. */
export function setConditions<C extends AnyCondition>(
  conditions: C[] | undefined,
  findings: readonly Finding[],
  now: Date,
): C[] {
  let result = conditions ?? []
  for (const finding of findings) result = setCondition(result, finding, now)
  return result
}

/** The conditions without this one: the same list when it is not there. */
export function removeCondition<C extends Pick<Condition, 'type'>>(conditions: C[] | undefined, type: string): C[] {
  const known = conditions ?? []
  return known.some((condition) => condition.type === type)
    ? known.filter((condition) => condition.type !== type)
    : known
}

export function findCondition<C extends Pick<Condition, 'type'>>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type)
}

type Known = readonly Pick<Condition, 'type' | 'status'>[] | undefined

export function isConditionTrue(conditions: Known, type: string): boolean {
  return hasCondition(conditions, type, 'True')
}

export function isConditionFalse(conditions: Known, type: string): boolean {
  return hasCondition(conditions, type, 'False')
}

/** Whether the condition is there with this status. One that is not there has none, not even `Unknown`. */
export function hasCondition(conditions: Known, type: string, status: ConditionStatus): boolean {
  return findCondition(conditions, type)?.status === status
}

function says(condition: AnyCondition, finding: Finding): boolean {
  return (
    condition.status === finding.status &&
    condition.reason === finding.reason &&
    condition.message === (finding.message ?? '') &&
    condition.observedGeneration === finding.observedGeneration
  )
}

function conditionFrom(finding: Finding, lastTransitionTime: string): Condition {
  const { type, status, reason, message = '', observedGeneration } = finding
  return {
    type,
    status,
    reason,
    message,
    lastTransitionTime,
    ...(observedGeneration !== undefined && { observedGeneration }),
  }
}
