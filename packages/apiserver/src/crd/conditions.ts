import type { CrdCondition } from './types.js'

/** A condition as it is concluded, before it is known since when. */
export type Conclusion = Omit<CrdCondition, 'lastTransitionTime'>

/** The conditions with one set: its time only moves when its status does. The list itself is left alone. */
export function setCondition(conditions: readonly CrdCondition[], next: Conclusion, now: string): CrdCondition[] {
  const at = conditions.findIndex((condition) => condition.type === next.type)
  const before = conditions[at]
  if (!before) return [...conditions, { lastTransitionTime: now, ...next }]
  const since = before.status === next.status && before.lastTransitionTime ? before.lastTransitionTime : now
  return conditions.with(at, { ...before, ...next, lastTransitionTime: since })
}

/** Whether a condition says the same, whenever it began to. */
export function saysTheSame(a: CrdCondition | undefined, b: Conclusion): boolean {
  return a?.type === b.type && a.status === b.status && a.reason === b.reason && a.message === b.message
}
