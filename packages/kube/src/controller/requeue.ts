import type { Requeue } from './types.js'

/** Look again at a time. */
export function requeueAt(at: Date): Requeue {
  return { at }
}

/** Look again after a while. */
export function requeueAfter(milliseconds: number): Requeue {
  return { afterMilliseconds: milliseconds }
}

/** Whichever comes first, if any. */
export function soonest(now: Date, ...requeues: readonly (Requeue | undefined)[]): Requeue | undefined {
  const due = requeues.filter((requeue) => requeue !== undefined).map((requeue) => dueAt(requeue, now.getTime()))
  return due.length === 0 ? undefined : requeueAt(new Date(Math.min(...due)))
}

/** A reconcile that asks for a time that is over must not become a loop without a pause. */
const SHORTEST_WAIT = 5

/** When that is, in milliseconds since 1970. */
export function dueAt(requeue: Requeue, now: number): number {
  const due = 'at' in requeue ? requeue.at.getTime() : now + requeue.afterMilliseconds
  if (Number.isNaN(due)) throw new RangeError('the time to look again is not a time')
  return Math.max(due, now + SHORTEST_WAIT)
}
