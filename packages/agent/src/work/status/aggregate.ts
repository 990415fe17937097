import { type ManifestStatus, WorkCondition, WorkReason } from '@orrery/api'
import type { Condition, ConditionStatus } from '@orrery/kinds'
import type { Finding } from '@orrery/kinds/values'
import { isByRule } from './rules/rule.js'

/** The `Available` condition of a work, from those of its objects. */
export function aggregateAvailability(
  manifests: readonly ManifestStatus[],
  observedGeneration: number | undefined,
): Finding {
  const type = WorkCondition.Available
  const all = manifests.flatMap(({ conditions }) => conditions.filter((condition) => condition.type === type))
  const total = manifests.length
  const { False, Unknown, True } = countByStatus(all)
  if (False > 0) {
    const message = `${False} of ${total} resources are not available`
    return { type, status: 'False', reason: WorkReason.ResourcesNotAvailable, message, observedGeneration }
  }
  if (Unknown > 0 || True === 0) {
    const message = Unknown > 0 ? `${Unknown} of ${total} resources have unknown status` : 'There are no resources'
    return { type, status: 'Unknown', reason: WorkReason.ResourcesStatusUnknown, message, observedGeneration }
  }
  const message = 'All resources are available'
  return { type, status: 'True', reason: WorkReason.ResourcesAvailable, message, observedGeneration }
}

/** The conditions that rules set on the objects of a work, aggregated by type. */
export function aggregateRules(
  manifests: readonly ManifestStatus[],
  observedGeneration: number | undefined,
): Finding[] {
  const byType = new Map<string, Condition[]>()
  for (const condition of manifests.flatMap(({ conditions }) => conditions)) {
    if (!isByRule(condition) || condition.type === WorkCondition.Available) continue
    const same = byType.get(condition.type)
    if (same === undefined) byType.set(condition.type, [condition])
    else same.push(condition)
  }
  return [...byType].map(([type, conditions]) => {
    const only = conditions.length === 1 ? conditions[0]?.message : undefined
    return {
      type,
      status: together(type, countByStatus(conditions)),
      reason: WorkReason.RulesAggregated,
      message: only || `Aggregated from ${conditions.length} manifest conditions`,
      observedGeneration,
    }
  })
}

type Counts = Readonly<Record<ConditionStatus, number>>

/** One False is enough, then one Unknown; for Progressing one True is enough. */
function together(type: string, { True, False, Unknown }: Counts): ConditionStatus {
  if (type === WorkCondition.Progressing && True > 0) return 'True'
  if (type !== WorkCondition.Progressing && False > 0) return 'False'
  if (Unknown > 0) return 'Unknown'
  return type === WorkCondition.Progressing ? 'False' : 'True'
}

function countByStatus(conditions: readonly Condition[]): Counts {
  const counts = { True: 0, False: 0, Unknown: 0 }
  for (const { status } of conditions) counts[status]++
  return counts
}
