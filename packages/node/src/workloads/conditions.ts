import type { ConditionStatus, TimeString } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'

/** The conditions of workloads: older than the common ones, so nearly everything may be missing. */
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
 * The conditions with this one as found. As workloads' conditions have it, a new message alone is no news: the same list
 * comes back while status and reason stay. The time of transition moves only with the status.
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
