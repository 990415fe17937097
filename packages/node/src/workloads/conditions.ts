import type { ConditionStatus, TimeString } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'

/** The conditions of workloads. They predate the common conditions, so nearly every field is optional. */
export interface WorkloadCondition {
  type: string
  status: ConditionStatus
  lastTransitionTime?: TimeString
  reason?: string
  message?: string
}

type Finding<C extends WorkloadCondition> = Pick<C, 'type' | 'status'> & {
  reason: string
  message: string
} & Partial<C>

/**
 * Returns the conditions with this one set. Like upstream, it returns the same list while status and reason stay the
 * same, even if the message changes. The transition time changes only with the status.
 */
export function withCondition<C extends WorkloadCondition>(
  conditions: readonly C[] | undefined,
  finding: Finding<C>,
  now: Date,
): C[] {
  const known = (conditions ?? []) as C[]
  const before = known.find(({ type }) => type === finding.type)
  if (before !== undefined && before.status === finding.status && before.reason === finding.reason) return known
  const kept = before?.status === finding.status ? before.lastTransitionTime : undefined
  const condition = { ...finding, lastTransitionTime: kept ?? formatTime(now) } as unknown as C
  return [...known.filter(({ type }) => type !== finding.type), condition]
}
