import type { ObjectRef } from '@orrery/kinds'
import { keyOf, refOf } from '@orrery/kinds/values'
import type { Enqueue, Wake } from '@orrery/kube/controller'

type Urgency = Parameters<Enqueue>[1]

interface Held {
  urgency: Urgency
  readonly due: number
  readonly enqueue: Enqueue
}

export interface Coalesced {
  readonly wakes: Wake[]
  /** Wakes of the object within the next moment are held until its end, and cause one reconcile. */
  pause(ref: ObjectRef): void
}

/**
 * Lets a controller pause after each of its writes, so that several changes of one object cause one more write. It uses
 * real time and not the clock: it waits for the network, which runs on when a test stops the clock.
 */
export function coalesced(wakes: readonly Wake[], milliseconds: number): Coalesced {
  /** When the pause of an object ends. All are equally long, so the first ones end first. */
  const pauses = new Map<string, number>()
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
  const endPauses = () => {
    const now = performance.now()
    for (const [key, end] of pauses) {
      if (end > now) return
      pauses.delete(key)
    }
  }
  const wake = (ref: ObjectRef, urgency: Urgency, enqueue: Enqueue) => {
    const key = keyOf(ref)
    const known = held.get(key)
    if (known === undefined) {
      endPauses()
      if (!pauses.has(key)) return enqueue(ref, urgency)
      held.set(key, { urgency, due: performance.now() + milliseconds, enqueue })
    } else if (urgency === 'fresh') known.urgency = urgency
    timer ??= setTimeout(release, milliseconds)
  }
  return {
    wakes: wakes.map((one) => ({
      ...one,
      start(enqueue) {
        const stop = one.start((ref, urgency) => wake(ref, urgency, enqueue))
        return () => {
          stop()
          clearTimeout(timer)
          timer = undefined
          held.clear()
          pauses.clear()
        }
      },
    })),
    pause(ref) {
      endPauses()
      const key = keyOf(ref)
      pauses.delete(key)
      pauses.set(key, performance.now() + milliseconds)
    },
  }
}
