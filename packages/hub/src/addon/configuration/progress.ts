import { AddOnCondition, AddOnReason, type ConfigReference, type ManagedClusterAddOn } from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import type { ClusterProgress } from '../../rollout/index.js'
import { ConfigIndex, type DesiredConfigs, isSameVersion } from './desired-configs.js'

/**
 * The progress of the configurations of an add-on on a cluster.
 *
 * | configReferences | lastAppliedConfig | Progressing | state       |
 * |------------------|-------------------|-------------|-------------|
 * | not as desired   |                   |             | ToApply     |
 * | as desired       | differs           | Failed      | Failed      |
 * | as desired       | differs           | any other   | Progressing |
 * | as desired       | the same          |             | Succeeded   |
 *
 * A condition that is about something else has no time that counts: then the state has just begun.
 */
export function progressOf({ status }: ManagedClusterAddOn, desired: DesiredConfigs, now: Date): ClusterProgress {
  const references = status?.configReferences ?? []
  if (!hasDesired(references, desired)) return { state: 'ToApply' }
  const condition = findCondition(status?.conditions, AddOnCondition.Progressing)
  const { Completed, Failed, Progressing } = AddOnReason
  const since = (reason: string) => (condition?.reason === reason ? endOfSecond(condition.lastTransitionTime) : now)
  if (references.every(isApplied)) return { state: 'Succeeded', since: since(Completed) }
  if (condition?.reason === Failed) return { state: 'Failed', since: since(Failed) }
  return { state: 'Progressing', since: since(Progressing) }
}

function hasDesired(references: readonly ConfigReference[], desired: DesiredConfigs): boolean {
  const configs = [...desired.values()].flat()
  if (references.length !== configs.length) return false
  const index = new ConfigIndex(configs)
  return references.every(({ desiredConfig, ...type }) => {
    const wanted = index.find(type, desiredConfig)
    return wanted !== undefined && isSameVersion(desiredConfig, wanted.desiredConfig)
  })
}

function isApplied({ desiredConfig, lastAppliedConfig }: ConfigReference): boolean {
  return desiredConfig !== undefined && isSameVersion(lastAppliedConfig, desiredConfig)
}

/** Conditions have whole seconds. Counted from the end of that second, no deadline is exceeded early. */
function endOfSecond(time: string): Date {
  return new Date(Date.parse(time) + 999)
}
