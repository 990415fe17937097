import type { Requeue } from './types.js'

/** Reconcile again at a time. */
export function requeueAt(at: Date): Requeue {
  return { at }
}

/** Reconcile again after a delay, even if the system time is set meanwhile. */
export function requeueAfter(milliseconds: number): Requeue {
  return { afterMilliseconds: milliseconds }
}

/** The earliest of several, if any. */
export function soonest(now: Date, ...requeues: readonly (Requeue | undefined)[]): Requeue | undefined {
  let first: Requeue | undefined
  for (const requeue of requeues) {
    if (requeue === undefined) continue
    if (first === undefined || restOf(requeue, now) < restOf(first, now)) first = requeue
  }
  return first
}

/** A past requeue time must not cause a tight loop. */
const MIN_WAIT = 5

/** The same with a minimum delay; undefined if it is never. */
export function notAtOnce(requeue: Requeue, now: Date): Requeue | undefined {
  const rest = restOf(requeue, now)
  if (rest === Number.POSITIVE_INFINITY) return undefined
  return rest < MIN_WAIT ? requeueAfter(MIN_WAIT) : requeue
}

/** The milliseconds until then. */
export function restOf(requeue: Requeue, now: Date): number {
  const rest = 'at' in requeue ? requeue.at.getTime() - now.getTime() : requeue.afterMilliseconds
  if (Number.isNaN(rest)) throw new RangeError('the requeue time is not valid')
  return rest
}
