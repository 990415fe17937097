import type { ManifestWork } from '@orrery/api'
import type { Condition, ConditionStatus } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'

/** What an agent says of the latest generation of a work; undefined when it has not said anything about that one. */
export function saidOf({ metadata, status }: ManifestWork, type: string): Condition | undefined {
  const condition = findCondition(status?.conditions, type)
  return condition?.observedGeneration === metadata.generation ? condition : undefined
}

/** Whether an agent says just that of the latest generation of a work. */
export function says(work: ManifestWork, type: string, status: ConditionStatus): boolean {
  return saidOf(work, type)?.status === status
}
