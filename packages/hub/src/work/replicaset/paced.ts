import type { ObjectRef } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import type { Clock, Wake } from '@orrery/kube'

/**
 * Wakes as another does, at once the first time and then not before a pause is over, in which any number of changes count
 * as one. For what takes longer to look at the more there is of it, and changes the more often.
 */
export function paced(wake: Wake, clock: Clock, pauseAfter: (ref: ObjectRef) => number): Wake {
  return {
    ...wake,
    start(enqueue) {
      const pauses = new Map<string, Pause>()
      const hand: typeof enqueue = (ref, urgency) => {
        const key = keyOf(ref)
        const pause = pauses.get(key)
        if (pause !== undefined) {
          pause.isNeeded = true
          return
        }
        enqueue(ref, urgency)
        const milliseconds = pauseAfter(ref)
        if (milliseconds <= 0) return
        const started: Pause = { isNeeded: false, end: clock.after(milliseconds, () => over(started)) }
        const over = ({ isNeeded }: Pause) => {
          pauses.delete(key)
          if (isNeeded) hand(ref, urgency)
        }
        pauses.set(key, started)
      }
      const stop = wake.start(hand)
      return () => {
        stop()
        for (const { end } of pauses.values()) end()
      }
    },
  }
}

/** A time in which nobody is woken. */
interface Pause {
  /** Whether somebody should have been. */
  isNeeded: boolean
  readonly end: () => void
}
