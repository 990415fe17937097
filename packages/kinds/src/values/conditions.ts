import type { Condition, ConditionStatus } from '../kinds/meta.generated.js'
import { formatTime } from './time.js'

/** A condition to set; the time depends on the current condition. */
export interface Finding {
  readonly type: string
  readonly status: ConditionStatus
  readonly reason: string
  /** Default empty. */
  readonly message?: string
  /** `metadata.generation` of the observed object. */
  readonly observedGeneration?: number | undefined
}

/** What every kind's conditions have; kinds older than `metav1.Condition` leave the rest optional. */
type AnyCondition = Pick<Condition, 'type' | 'status'> & Partial<Condition>

/** Sets a condition: returns the same list if nothing changes. Its time changes only with its status. */
export function setCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  finding: Finding,
  now: Date,
): readonly C[] {
  const known = conditions ?? []
  const index = known.findIndex(({ type }) => type === finding.type)
  if (index < 0) return [...known, conditionFrom(finding, formatTime(now)) as C]
  const before = known[index] as C
  if (says(before, finding)) return known
  const since = before.status === finding.status ? before.lastTransitionTime : undefined
  return known.with(index, conditionFrom(finding, since ?? formatTime(now)) as C)
}

/** Sets several conditions: returns the same list if nothing changes. */
export function setConditions<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  findings: readonly Finding[],
  now: Date,
): readonly C[] {
  let result = conditions ?? []
  for (const finding of findings) result = setCondition(result, finding, now)
  return result
}

/** Removes a condition: returns the same list if it does not exist. */
export function removeCondition<C extends Pick<Condition, 'type'>>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
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

/** Whether the condition exists with this status. An absent one has no status, not even `Unknown`. */
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
