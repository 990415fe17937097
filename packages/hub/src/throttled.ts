import type { ObjectRef } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import type { Wake } from '@orrery/kube/controller'

/**
 * Throttles a wake: the first change of an object wakes the controller at once, the changes during the pause after it wake
 * it once, at its end. For objects that take long to reconcile and whose dependents change often.
 */
export function throttled(wake: Wake, clock: Clock, pauseAfter: (ref: ObjectRef) => number): Wake {
  return {
    ...wake,
    start(enqueue) {
      const pauses = new Map<string, Pause>()
      const forward: typeof enqueue = (ref, urgency) => {
        const key = keyOf(ref)
        const pause = pauses.get(key)
        if (pause !== undefined) {
          pause.hasChanges = true
          return
        }
        enqueue(ref, urgency)
        const milliseconds = pauseAfter(ref)
        if (milliseconds <= 0) return
        const started: Pause = { hasChanges: false, cancel: clock.after(milliseconds, () => end(started)) }
        const end = ({ hasChanges }: Pause) => {
          pauses.delete(key)
          if (hasChanges) forward(ref, urgency)
        }
        pauses.set(key, started)
      }
      const stop = wake.start(forward)
      return () => {
        stop()
        for (const { cancel } of pauses.values()) cancel()
      }
    },
  }
}

/** A time in which an object does not wake the controller. */
interface Pause {
  /** Whether there was a change in it. */
  hasChanges: boolean
  readonly cancel: () => void
}
