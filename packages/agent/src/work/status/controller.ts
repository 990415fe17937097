import { ManifestWork, WORK_FINALIZER } from '@orrery/api'
import { type ControllerSpec, each, hasFinalizer, type Informer, isBeingDeleted, refOf, type Wake } from '@orrery/kube'
import type { WorkContext } from '../context.js'
import type { WatchedObjects } from '../watched/types.js'
import { coalesced } from './coalesced.js'
import { observe } from './observation.js'
import { workStatusOf } from './work.js'

/** How many statuses are written at the same time. */
const CONCURRENCY = 16
/** Long enough for a burst of changes to be over, and too short for people to notice. */
const SETTLING_MILLISECONDS = 20

/** Keeps the status of each work true: what came of applying it, and what its objects say now. */
export function statusControllers(context: WorkContext): ControllerSpec[] {
  const { source, watched, outcomes, clock, features, options } = context
  const { works } = source
  const statusOptions = {
    rawJson: features.RawFeedbackJsonString,
    maxJsonRawLength: options.maxJsonRawLength,
    observe: observe.bind(undefined, watched),
  }
  return [
    {
      name: 'work-status',
      wakes: coalesced([each(works), outcomes.wake(works), byHolders(watched, works)], SETTLING_MILLISECONDS),
      concurrency: CONCURRENCY,
      async reconcile(ref, { signal }) {
        const work = works.get(ref)
        if (work === undefined || isBeingDeleted(work) || !hasFinalizer(work, WORK_FINALIZER)) return
        const statusOf = (current: ManifestWork) =>
          workStatusOf(current, outcomes.get(ref), { ...statusOptions, now: clock.now() }) ?? current.status
        await source.writeStatus(work, statusOf, { signal })
      },
    },
  ]
}

/** Wakes a controller for the works whose objects change. */
function byHolders(watched: WatchedObjects, works: Informer<ManifestWork>): Wake {
  return {
    informer: works as unknown as Informer,
    target: ManifestWork,
    start: (enqueue) =>
      watched.subscribe(({ holders }) => {
        for (const holder of holders) enqueue(refOf(holder), 'fresh')
      }),
    // Every work is handed out by the informer of works.
    resync: () => undefined,
  }
}
