import { ManifestWork, WorkCondition } from '@orrery/api'
import { isConditionTrue, jsonEqual, keyOf, refOf } from '@orrery/kinds/values'
import { type ControllerSpec, each, type Informer, isBeingDeleted, requeueAfter } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import { Contention } from '../../contention.js'
import type { WorkContext } from '../context.js'
import type { WorkloadPods } from '../pods/workload-pods.js'
import type { WatchedObjects, WatchedRef } from '../watched/types.js'
import { flowOfWork } from '../work-flow.js'
import { currentOutcome } from './applied-condition.js'
import { coalesced } from './coalesced.js'
import { gatherEvidence } from './evidence.js'
import { watchedRefOf } from './observation.js'
import { workStatusOf } from './work.js'

/** How many statuses are written at the same time. */
const CONCURRENCY = 16
/** The pause after a status: long enough to cover a burst of changes, and too short for people to notice. */
const SETTLING_MILLISECONDS = 20
/** Short, so that a hub gets the status soon after it is reachable again. */
const MAX_WAIT_MILLISECONDS = 30_000
/** How often missing read permissions of an executor are checked again. */
const NOT_ALLOWED_MILLISECONDS = 60_000

/** Keeps the status of each work up to date: the result of the apply, and the state of its objects. */
export function statusControllers(context: WorkContext): ControllerSpec[] {
  const { source, watched, pods, outcomes, reads, clock, features, options } = context
  const { works } = source
  const contention = new Contention(clock)
  const statusOptions = {
    rawJson: features.RawFeedbackJsonString,
    maxJsonRawLength: options.maxJsonRawLength,
  }
  const { wakes, pause } = coalesced(
    [each(works), outcomes.wake(works), byHolders(watched, works), byPods(pods, works)],
    SETTLING_MILLISECONDS,
  )
  return [
    {
      name: 'work-status',
      wakes,
      concurrency: CONCURRENCY,
      flowOf: flowOfWork(works),
      backoff: { maxMilliseconds: MAX_WAIT_MILLISECONDS },
      async reconcile(ref, { signal }) {
        const work = works.get(ref)
        if (work === undefined) {
          contention.forget(keyOf(ref))
          reads.forget(ref)
        }
        if (work === undefined || isBeingDeleted(work) || !source.isHeld(work)) {
          pods.want(keyOf(ref), [])
          return
        }
        if (outcomes.get(ref) === undefined && isComplete(work)) watched.want(keyOf(ref), refsOf(work))
        // The status stays until the work is applied, which wakes this controller. Each of its objects wakes it before.
        if (currentOutcome(work, outcomes.get(ref)) === undefined) {
          pods.want(keyOf(ref), [])
          return
        }
        const turn = contention.turn(keyOf(ref))
        const evidence = await gatherEvidence(work, context, signal)
        const statusOf = (current: ManifestWork) => {
          // The permissions were checked for one spec. A new spec wakes this controller again.
          if (current !== work && !jsonEqual(current.spec, work.spec)) return current.status
          const wish = workStatusOf(current, outcomes.get(ref), {
            ...statusOptions,
            now: clock.now(),
            observe: (meta, atLeast) => evidence.observe(meta, atLeast),
          })
          const status = turn.settle(current.status, wish ?? current.status)
          if (status !== current.status) pause(ref)
          return status
        }
        await source.writeStatus(work, statusOf, { signal })
        turn.done()
        return evidence.isRefused ? requeueAfter(NOT_ALLOWED_MILLISECONDS) : turn.again
      },
    },
  ]
}

function isComplete({ status }: ManifestWork): boolean {
  return isConditionTrue(status?.conditions, WorkCondition.Complete)
}

/** A complete work is not applied any more: after a restart only this controller watches its objects. */
function refsOf({ status }: ManifestWork): WatchedRef[] {
  const manifests = status?.resourceStatus?.manifests ?? []
  return manifests.map(({ resourceMeta }) => watchedRefOf(resourceMeta)).filter((ref) => ref !== undefined)
}

/** Wakes a controller for works whose objects change. */
function byHolders(watched: WatchedObjects, works: Informer<ManifestWork>): Wake {
  return {
    informer: works as unknown as Informer,
    target: ManifestWork,
    start: (enqueue) =>
      watched.subscribe(({ holders }) => {
        for (const holder of holders) enqueue(refOf(holder), 'fresh')
      }),
    // The informer of works already enqueues every work.
    resync: () => undefined,
  }
}

/** Wakes a controller for works when the pods of their workloads change. */
function byPods(pods: WorkloadPods, works: Informer<ManifestWork>): Wake {
  return {
    informer: works as unknown as Informer,
    target: ManifestWork,
    start: (enqueue) => pods.subscribe((holder) => enqueue(refOf(holder), 'fresh')),
    resync: () => undefined,
  }
}
