import type { Condition } from '@orrery/kinds'
import { type Finding, findCondition, removeCondition, setCondition } from '@orrery/kinds/values'
import { fitting } from './message.js'

/** How conditions become what was found. */
export interface ConditionChanges {
  /** What was found, one of a type. */
  readonly findings: readonly Finding[]
  /** Of the conditions nothing was found about: whether it stays. */
  readonly stays: (condition: Condition) => boolean
  /** Whether the time of the condition starts anew, though its status may be the same. */
  readonly restarts: (condition: Condition, finding: Finding) => boolean
  /** How many characters the message of a condition may have. */
  readonly maxMessageLength: number
  readonly now: Date
}

/** The conditions as found; the same list when nothing is new. */
export function changedConditions(conditions: Condition[] | undefined, changes: ConditionChanges): Condition[] {
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
