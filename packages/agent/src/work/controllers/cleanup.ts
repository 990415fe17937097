import { APPLIED_WORK_FINALIZER, AppliedManifestWork } from '@orrery/api'
import { type ControllerSpec, each, hasFinalizer, isBeingDeleted, removeFinalizer, requeueAfter } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import { semanticEqual } from '@orrery/kube/write'
import { ownerOf, writeAppliedStatus } from '../applied-work/applied-work.js'
import type { Blocker, Blockers } from '../applied-work/blockers.js'
import { type Removal, removeResources } from '../applied-work/removal.js'
import { refOfResource, sortedResources } from '../applied-work/resources.js'
import type { WorkContext } from '../context.js'

/** How often objects that are being deleted are checked, in case no watch reports their end. */
const PENDING_MILLISECONDS = 15_000
/** The space distinguishes it from the key of a work. */
const HOLDER = 'appliedmanifestwork '

/** Removes the objects of deleted AppliedManifestWorks, then their finalizer. */
export function cleanupController(context: WorkContext, blockers: Blockers): ControllerSpec {
  const { spoke, appliedWorks, watched, discovery, ownSecrets, agentId, options } = context
  return {
    name: 'applied-work-cleanup',
    concurrency: options.concurrency,
    backoff: { firstMilliseconds: 50, maxMilliseconds: 60_000 },
    wakes: [
      // A deleted one needs no watches any more.
      each(appliedWorks, undefined, { when: ({ after }) => after === undefined || isBeingDeleted(after) }),
      eachWatchedObject(context),
    ],
    async reconcile({ name }, { signal }) {
      const record = appliedWorks.get({ name })
      const holder = `${HOLDER}${name}`
      if (record === undefined || !hasFinalizer(record, APPLIED_WORK_FINALIZER)) {
        watched.want(holder, [])
        blockers.set(name, [])
        return
      }
      if (!isBeingDeleted(record) || record.spec?.agentID !== agentId) return
      const before = record.status?.appliedResources ?? []
      watched.want(holder, before.map(refOfResource))
      const removal = await removeResources(before, ownerOf(record), {
        client: spoke,
        discovery,
        watched,
        ownSecrets,
        signal,
      })
      const left = sortedResources([...removal.pending, ...removal.failures.map(({ resource }) => resource)])
      if (left.length === 0) {
        await removeFinalizer(spoke, AppliedManifestWork, record, APPLIED_WORK_FINALIZER, { signal })
        return
      }
      blockers.set(name, blockersOf(removal, context))
      if (!semanticEqual(before, left))
        await writeAppliedStatus(context, record, (status) => ({ ...status, appliedResources: left }), signal)
      const [failure] = removal.failures
      if (failure !== undefined) throw failure.error
      return requeueAfter(PENDING_MILLISECONDS)
    },
  }
}

function eachWatchedObject({ appliedWorks, watched }: WorkContext): Wake {
  return {
    informer: appliedWorks as unknown as Wake['informer'],
    start: (enqueue) =>
      watched.subscribe(({ holders, after }) => {
        if (after !== undefined && after.metadata.deletionTimestamp === undefined) return
        for (const holder of holders) {
          if (holder.startsWith(HOLDER)) enqueue({ name: holder.slice(HOLDER.length) }, 'fresh')
        }
      }),
    resync: () => undefined,
  }
}

/** The objects that block the deletion. */
function blockersOf({ pending, failures }: Removal, { watched }: WorkContext): Blocker[] {
  return [
    ...failures.map(({ resource, error }) => ({
      resource,
      why: error instanceof Error ? error.message : String(error),
    })),
    ...pending.map((resource) => {
      const finalizers = watched.get(refOfResource(resource))?.metadata.finalizers ?? []
      return { resource, ...(finalizers.length > 0 && { why: `finalizers ${finalizers.join(', ')}` }) }
    }),
  ]
}
