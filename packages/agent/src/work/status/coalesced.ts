import { keyOf, refOf } from '@orrery/kinds/values'
import type { Enqueue, Wake } from '@orrery/kube/controller'

type Urgency = Parameters<Enqueue>[1]

interface Held {
  urgency: Urgency
  readonly due: number
  readonly enqueue: Enqueue
}

/**
 * Delays wakes for a moment, so that several about one object cause one reconcile. It uses real time and not the
 * clock: it waits for the network, which runs on when a test stops the clock.
 */
export function coalesced(wakes: readonly Wake[], milliseconds: number): Wake[] {
  /** All have the same delay, so the first ones are due first. */
  const held = new Map<string, Held>()
  let timer: NodeJS.Timeout | undefined
  const release = () => {
    timer = undefined
    const now = performance.now()
    for (const [key, { urgency, due, enqueue }] of held) {
      if (due > now) {
        timer = setTimeout(release, due - now)
        return
      }
      held.delete(key)
      enqueue(refOf(key), urgency)
    }
  }
  const hold = (key: string, urgency: Urgency, enqueue: Enqueue) => {
    const known = held.get(key)
    if (known === undefined) held.set(key, { urgency, due: performance.now() + milliseconds, enqueue })
    else if (urgency === 'fresh') known.urgency = urgency
    timer ??= setTimeout(release, milliseconds)
  }
  return wakes.map((wake) => ({
    ...wake,
    start(enqueue) {
      const stop = wake.start((ref, urgency) => hold(keyOf(ref), urgency, enqueue))
      return () => {
        stop()
        clearTimeout(timer)
        timer = undefined
        held.clear()
      }
    },
  }))
}
