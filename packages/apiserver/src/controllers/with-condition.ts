import type { Condition, KubeObject } from '@orrery/kinds'
import { type Finding, setCondition } from '@orrery/kinds/values'

/** Returns an object with a condition in its status: the same object if it has it already. */
export function withCondition(object: KubeObject, finding: Finding, now: Date): KubeObject {
  const status = (object.status ?? {}) as { conditions?: readonly Condition[] }
  const conditions = setCondition(status.conditions, finding, now)
  return conditions === status.conditions ? object : { ...object, status: { ...status, conditions } }
}
