import type { Condition } from '@orrery/kinds'
import { type Finding, findCondition, removeCondition, setCondition } from '@orrery/kinds/values'
import { fitting } from './message.js'

/** How to merge findings into conditions. */
export interface ConditionChanges {
  /** The new conditions, one of each type. */
  readonly findings: readonly Finding[]
  /** Whether a condition without a finding stays. */
  readonly stays: (condition: Condition) => boolean
  /** Whether lastTransitionTime starts over even if the status is the same. */
  readonly restarts: (condition: Condition, finding: Finding) => boolean
  /** The limit of a condition's message, in characters. */
  readonly maxMessageLength: number
  readonly now: Date
}

/** The merged conditions; the same list if nothing changed. */
export function changedConditions(
  conditions: readonly Condition[] | undefined,
  changes: ConditionChanges,
): readonly Condition[] {
  const { findings, stays, restarts, maxMessageLength, now } = changes
  const types = new Set(findings.map(({ type }) => type))
  const known = conditions ?? []
  const isKept = (condition: Condition) => types.has(condition.type) || stays(condition)
  let result = known.every(isKept) ? known : known.filter(isKept)
  for (const finding of findings) {
    const before = findCondition(result, finding.type)
    if (before !== undefined && restarts(before, finding)) result = removeCondition(result, finding.type)
    const { message = '' } = finding
    result = setCondition(result, { ...finding, message: fitting(message, maxMessageLength) }, now)
  }
  return result
}
