import type { ConditionFields, Subject } from './fields.js'
import { failed, progressing, READY, type Readiness } from './types.js'

/** A Deployment says so, and what is modelled on it: it is `Progressing` for ever, and has arrived for this reason. */
const ARRIVED = 'NewReplicaSetAvailable'

/** Whether a condition is there and true. */
export function holds({ conditions }: Subject, type: string): boolean {
  return conditions.get(type)?.status === 'True'
}

/** What a condition says, in one line: `Ready is False: NoQuota: no more pods`. */
export function conditionText(type: string, { status, reason, message }: ConditionFields): string {
  return [`${type} is ${status}`, reason, message].filter((part) => part !== undefined).join(': ')
}

/**
 * Goes by the conditions that many kinds have. `Stalled` and `Reconciling` are kstatus', `Ready` and `Available` are what
 * most say; where `Ready` is there it is the last word.
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
    return isOld(ready, generation) ? 'Ready is about an earlier generation' : undefined
  }
  const available = conditions.get('Available')
  if (available !== undefined && available.status !== 'True') return conditionText('Available', available)
  const moving = conditions.get('Progressing')
  return moving?.status === 'True' && moving.reason !== ARRIVED ? conditionText('Progressing', moving) : undefined
}

function isOld({ observedGeneration }: ConditionFields, generation: number | undefined): boolean {
  return observedGeneration !== undefined && generation !== undefined && observedGeneration < generation
}
