import { type AppliedManifestWork, ManifestWork } from '@orrery/api'
import { jsonEqual, refOf } from '@orrery/kinds/values'
import { each, generationChanged, type Informer, isBeingDeleted } from '@orrery/kube'
import { anyOf, type Enqueue, type Wake } from '@orrery/kube/controller'
import type { Change } from '@orrery/kube/informer'
import type { WorkContext } from '../context.js'
import type { WatchedChange } from '../watched/types.js'

/** Wakes for each work whose spec or metadata changes, but not when only its status was written. */
export function eachWork({ source }: Pick<WorkContext, 'source'>): Wake {
  const wasReleased = ({ type, before, after }: Change<ManifestWork>) =>
    type === 'updated' && source.isHeld(before) && !source.isHeld(after)
  return each(source.works, undefined, { when: anyOf(generationChanged, wasReleased) })
}

/**
 * Wakes for each work with another spec under the same generation. A hub that was restored from a backup issues
 * generations again, so an unknown spec can come under a known generation. The earlier outcome does not apply to it.
 */
export function eachRewrittenWork(context: Pick<WorkContext, 'source' | 'outcomes'>): Wake {
  const { source, outcomes } = context
  return wakeOf(context, (enqueue) =>
    source.works.subscribe(({ before, after }) => {
      if (before === undefined || after === undefined) return
      if (before.metadata.generation !== after.metadata.generation || jsonEqual(before.spec, after.spec)) return
      outcomes.delete(after.metadata)
      enqueue(after.metadata, 'fresh')
    }),
  )
}

/** Wakes for the work whose AppliedManifestWork is being deleted or gone. */
export function eachLostRecord({ appliedWorks, source: { clusterName, hubHash } }: WorkContext): Wake {
  const workOf = ({ metadata, spec }: AppliedManifestWork) =>
    metadata.name.startsWith(hubHash) && spec !== undefined
      ? { namespace: clusterName, name: spec.manifestWorkName }
      : undefined
  return each(appliedWorks, workOf, {
    when: ({ type, after }) => type === 'deleted' || (after !== undefined && isBeingDeleted(after)),
  })
}

/** Wakes for works whose objects changed, but not when only a status changed. */
export function eachDrift(context: WorkContext, isOwnDoing: (change: WatchedChange, work: string) => boolean): Wake {
  return wakeOf(context, (enqueue) =>
    context.watched.subscribe((change) => {
      if (isStatusOnly(change)) return
      for (const holder of change.holders) {
        if (isWork(holder) && !isOwnDoing(change, holder)) enqueue(refOf(holder), 'fresh')
      }
    }),
  )
}

/** Wakes for works by other means than an informer. */
export function wakeOf({ source }: Pick<WorkContext, 'source'>, start: (enqueue: Enqueue) => () => void): Wake {
  return { informer: source.works as unknown as Informer, target: ManifestWork, start, resync: () => undefined }
}

/** Works are in a namespace, other holders are not. */
function isWork(holder: string): boolean {
  return holder.includes('/')
}

function isStatusOnly({ before, after }: WatchedChange): boolean {
  if (before === undefined || after === undefined) return false
  const [was, is] = [before.metadata, after.metadata]
  // Kinds without a generation may have changed in any way.
  if (is.generation === undefined || was.generation !== is.generation || was.uid !== is.uid) return false
  return (
    was.deletionTimestamp === is.deletionTimestamp &&
    jsonEqual(was.labels, is.labels) &&
    jsonEqual(was.annotations, is.annotations) &&
    jsonEqual(was.ownerReferences, is.ownerReferences)
  )
}
