import type { ManifestWork } from '@orrery/api'
import type { Condition, ConditionStatus } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'

/** A condition of the latest generation of a work; undefined if the agent has not reported it for that generation. */
export function currentCondition({ metadata, status }: ManifestWork, type: string): Condition | undefined {
  const condition = findCondition(status?.conditions, type)
  return condition?.observedGeneration === metadata.generation ? condition : undefined
}

/** Whether a condition of the latest generation of a work has a status. */
export function hasCurrentCondition(work: ManifestWork, type: string, status: ConditionStatus): boolean {
  return currentCondition(work, type)?.status === status
}
