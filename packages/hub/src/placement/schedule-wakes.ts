import { Placement } from '@orrery/api'
import { keyOf } from '@orrery/kinds/values'
import type { Informer } from '@orrery/kube'
import type { Enqueue, Wake } from '@orrery/kube/controller'
import type { SchedulingInputs } from './scheduling-inputs.js'
import type { Settling } from './settling.js'

/** Wakes the scheduling of the placements that a change can affect, and of all placements at the start. */
export function scheduleWakes(inputs: SchedulingInputs, settling: Settling): Wake[] {
  const enqueueAll = (enqueue: Enqueue) => {
    for (const { placement } of inputs.placements.all()) enqueue(placement.metadata, 'resync')
  }
  const [first, ...others] = inputs.informers as [Informer, ...Informer[]]
  const main: Wake = {
    informer: first,
    target: Placement,
    start(enqueue) {
      enqueueAll(enqueue)
      return inputs.subscribe((ref) => {
        settling.changed(keyOf(ref))
        enqueue(ref, 'fresh')
      })
    },
    resync(enqueue) {
      for (const { placement } of inputs.placements.all()) settling.resync(keyOf(placement.metadata))
      enqueueAll(enqueue)
    },
  }
  const excluded = inputs.exclusions.wakes((placement) => [placement])
  return [main, ...others.map(syncedBefore), marking(excluded, settling)]
}

/** The placements of this wake are scheduled completely. */
function marking(wake: Wake, settling: Settling): Wake {
  const start: Wake['start'] = (enqueue) =>
    wake.start((ref, urgency) => {
      settling.changed(keyOf(ref))
      enqueue(ref, urgency)
    })
  return { ...wake, start }
}

/** The controller waits for this informer. */
export function syncedBefore(informer: Informer): Wake {
  return { informer, start: () => () => undefined, resync: () => undefined }
}
