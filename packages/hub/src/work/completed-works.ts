import { ManifestWork, REPLICA_SET_LABEL, WorkCondition } from '@orrery/api'
import { findCondition, isConflict } from '@orrery/kinds/values'
import {
  type ControllerSpec,
  each,
  generationChanged,
  isBeingDeleted,
  type ReconcileContext,
  requeueAt,
} from '@orrery/kube'
import { anyOf, conditionChanged } from '@orrery/kube/controller'
import type { HubContext } from '../context.js'

/**
 * Deletes complete works after `ttlSecondsAfterFinished`. Works of replica sets stay: their replica set would create them
 * again.
 */
export function completedWorks({ client, clock, informers }: HubContext): ControllerSpec {
  const works = informers.of(ManifestWork, { labelSelector: `!${REPLICA_SET_LABEL}` })

  async function remove(work: ManifestWork, { log, signal }: ReconcileContext): Promise<void> {
    const { uid, resourceVersion } = work.metadata
    try {
      await client.ensureDeleted(ManifestWork, work.metadata, { preconditions: { uid, resourceVersion }, signal })
      log.info('complete work deleted')
    } catch (error) {
      // The informer is out of date: the change that it has yet to see wakes this controller again.
      if (!isConflict(error)) throw error
    }
  }

  return {
    name: 'completed-works',
    concurrency: 10,
    wakes: [
      each(works, undefined, {
        when: anyOf<ManifestWork>(generationChanged, conditionChanged(WorkCondition.Complete)),
      }),
    ],
    async reconcile(ref, context) {
      const work = works.get(ref)
      const expiry = work && !isBeingDeleted(work) ? expiryOf(work) : undefined
      if (work === undefined || expiry === undefined) return
      return clock.now() < expiry ? requeueAt(expiry) : remove(work, context)
    },
  }
}

/** When to delete a work; undefined while it is not complete, or has no TTL. */
function expiryOf({ spec, status }: ManifestWork): Date | undefined {
  const seconds = spec?.deleteOption?.ttlSecondsAfterFinished
  const complete = findCondition(status?.conditions, WorkCondition.Complete)
  if (seconds === undefined || complete?.status !== 'True') return undefined
  return new Date(Date.parse(complete.lastTransitionTime) + Math.max(seconds, 0) * 1_000)
}
