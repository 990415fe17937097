import type { ConditionFields, Subject } from './fields.js'
import { failed, progressing, READY, type Readiness } from './types.js'

/** A Deployment stays `Progressing`. It is complete with this reason. */
const ARRIVED = 'NewReplicaSetAvailable'

/** Whether a condition exists and is true. */
export function holds({ conditions }: Subject, type: string): boolean {
  return conditions.get(type)?.status === 'True'
}

/** The text of a condition in one line: `Ready is False: NoQuota: no more pods`. */
export function conditionText(type: string, { status, reason, message }: ConditionFields): string {
  return [`${type} is ${status}`, reason, message].filter((part) => part !== undefined).join(': ')
}

/**
 * Readiness by common conditions. `Stalled` and `Reconciling` are those of kstatus; most kinds have `Ready` or
 * `Available`. `Ready` takes precedence.
 */
export function byConditions(subject: Subject): Readiness {
  const { conditions, generation } = subject
  for (const type of ['Stalled', 'Failed']) {
    if (holds(subject, type)) return failed(conditionText(type, conditions.get(type) as ConditionFields))
  }
  const unfinished = unfinishedBy(conditions, generation)
  const degraded = conditions.get('Degraded')
  if (degraded?.status !== 'True') return unfinished === undefined ? READY : progressing(unfinished)
  return { degraded: conditionText('Degraded', degraded), ...(unfinished !== undefined && { progressing: unfinished }) }
}

function unfinishedBy(
  conditions: ReadonlyMap<string, ConditionFields>,
  generation: number | undefined,
): string | undefined {
  const reconciling = conditions.get('Reconciling')
  if (reconciling?.status === 'True') return conditionText('Reconciling', reconciling)
  const ready = conditions.get('Ready')
  if (ready !== undefined) {
    if (ready.status !== 'True') return conditionText('Ready', ready)
    return isOld(ready, generation) ? 'Ready has not been updated for the current generation' : undefined
  }
  const available = conditions.get('Available')
  if (available !== undefined && available.status !== 'True') return conditionText('Available', available)
  const moving = conditions.get('Progressing')
  return moving?.status === 'True' && moving.reason !== ARRIVED ? conditionText('Progressing', moving) : undefined
}

function isOld({ observedGeneration }: ConditionFields, generation: number | undefined): boolean {
  return observedGeneration !== undefined && generation !== undefined && observedGeneration < generation
}
