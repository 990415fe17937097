import type { Requeue } from './types.js'

/** Look again at a time. */
export function requeueAt(at: Date): Requeue {
  return { at }
}

/** Look again after a while, however the clock is set meanwhile. */
export function requeueAfter(milliseconds: number): Requeue {
  return { afterMilliseconds: milliseconds }
}

/** Whichever comes first, if any. */
export function soonest(now: Date, ...requeues: readonly (Requeue | undefined)[]): Requeue | undefined {
  let first: Requeue | undefined
  for (const requeue of requeues) {
    if (requeue === undefined) continue
    if (first === undefined || restOf(requeue, now) < restOf(first, now)) first = requeue
  }
  return first
}

/** A reconcile that asks for a time that is over must not become a loop without a pause. */
const MIN_WAIT = 5

/** The same, but not at once; undefined when it is never. */
export function notAtOnce(requeue: Requeue, now: Date): Requeue | undefined {
  const rest = restOf(requeue, now)
  if (rest === Number.POSITIVE_INFINITY) return undefined
  return rest < MIN_WAIT ? requeueAfter(MIN_WAIT) : requeue
}

/** How many milliseconds there are until then. */
export function restOf(requeue: Requeue, now: Date): number {
  const rest = 'at' in requeue ? requeue.at.getTime() - now.getTime() : requeue.afterMilliseconds
  if (Number.isNaN(rest)) throw new RangeError('the time to look again is not a time')
  return rest
}
