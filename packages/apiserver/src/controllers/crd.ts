import { findCondition } from '@orrery/kinds/values'
import { type Requeue, requeueAfter } from '@orrery/kube/controller'
import { type CleanupProgress, cleanupStatus, isServed, needsCleanup, nextCrdStatus } from '../crd/lifecycle.js'
import { CLEANUP_FINALIZER } from '../crd/prepare.js'
import type { Crd } from '../crd/types.js'
import { bucketOf } from '../registry/internal.js'
import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { deleteAll } from './delete-all.js'
import { CRDS } from './resources.js'

const BUCKET = bucketOf(CRDS)
/** After this time the status of a definition reports that it waits for its last object. */
const TIMEOUT_MS = 60_000

/**
 * The naming, establishing and finalizing controllers of custom resource definitions. The key is the group: names are
 * accepted among all definitions of a group, one at a time.
 */
export function customResourceDefinitions(context: ControllerContext): Controller {
  const { store, client } = context
  /** Buckets that wait for their last object to be deleted, with their groups. */
  const emptying = new Map<string, string>()

  async function reconcile(group: string): Promise<Requeue | undefined> {
    const all = definitionsOf(context, group)
    const writes: Promise<unknown>[] = []
    let again: Requeue | undefined
    for (const [index, crd] of all.entries()) {
      if (crd.metadata.deletionTimestamp !== undefined) {
        if (needsCleanup(crd)) {
          again = requeueAfter(TIMEOUT_MS)
          writes.push(cleanUp(crd))
        }
        continue
      }
      const status = nextCrdStatus(crd, all, context.clock.now())
      if (status === undefined) continue
      // Later definitions must see the names as taken before the write completes.
      all[index] = { ...crd, status }
      writes.push(
        client.change(CRDS, '', crd.metadata.name ?? '', (live) => statusOf(live as Crd, crd, status), 'status'),
      )
    }
    await Promise.all(writes)
    return again
  }

  async function cleanUp(crd: Crd): Promise<void> {
    const name = crd.metadata.name ?? ''
    const ref = { group: crd.spec.group, resource: crd.spec.names.plural ?? '' }
    // The definition must not delete the objects of a built-in resource with the same name.
    if (!isServed(crd) || context.catalog.isBuiltin(ref.group, ref.resource)) {
      return conclude(crd, { step: 'neverEstablished' })
    }
    await store.flushed()
    if (store.count(bucketOf(ref)) > 0) {
      emptying.set(bucketOf(ref), crd.spec.group)
      await record(crd, progressOf(context, crd))
      const failures = await deleteAll(client, ref, store.page({ bucket: bucketOf(ref), namespace: undefined }).entries)
      if (failures.length > 0) {
        await record(crd, { step: 'failed', message: failures[0]?.message ?? '' })
        throw failures[0]
      }
      await store.flushed()
      if (store.count(bucketOf(ref)) > 0) return
    }
    emptying.delete(bucketOf(ref))
    context.log.debug('a custom resource definition has no objects left', { name })
    return conclude(crd, { step: 'done' })
  }

  async function record(crd: Crd, progress: CleanupProgress): Promise<void> {
    const { name = '', uid } = crd.metadata
    const now = context.clock.now()
    const change = (live: Crd) =>
      live.metadata.uid === uid ? { ...live, status: cleanupStatus(live, progress, now) } : live
    await client.change(CRDS, '', name, (live) => change(live as Crd), 'status')
  }

  async function conclude(crd: Crd, progress: CleanupProgress): Promise<void> {
    const { name = '', uid } = crd.metadata
    const now = context.clock.now()
    await client.change(
      CRDS,
      '',
      name,
      (live) => {
        if (live.metadata.uid !== uid) return live
        const finalizers = (live.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER)
        return {
          ...live,
          metadata: { ...live.metadata, finalizers },
          status: cleanupStatus(live as Crd, progress, now),
        }
      },
      'status',
    )
  }

  return reconciler(context, {
    name: 'custom-resource-definitions',
    wakes: { [BUCKET]: ({ entry }) => groupOf(entry.name) },
    wakesOnEvery: ({ type, entry }) =>
      emptying.size > 0 && type === 'DELETED' ? emptying.get(entry.bucket) : undefined,
    first: () => new Set(store.page({ bucket: BUCKET, namespace: '' }).entries.map(({ name }) => groupOf(name))),
    reconcile,
  })
}

function groupOf(name: string): string {
  return name.slice(name.indexOf('.') + 1)
}

function definitionsOf({ store }: ControllerContext, group: string): Crd[] {
  const matches = ({ name }: { readonly name: string }) => groupOf(name) === group
  return store.page({ bucket: BUCKET, namespace: '', matches }).entries.map((entry) => entry.object() as Crd)
}

/** If the object changed meanwhile, the next reconcile decides again. */
function statusOf(live: Crd, seen: Crd, status: NonNullable<Crd['status']>): Crd {
  if (live.metadata.resourceVersion !== seen.metadata.resourceVersion) return live
  return { ...live, status }
}

function progressOf({ clock }: ControllerContext, crd: Crd): CleanupProgress {
  const condition = findCondition(crd.status?.conditions, 'Terminating')
  const since = Date.parse(condition?.lastTransitionTime ?? crd.metadata.deletionTimestamp ?? '')
  if (clock.now().getTime() - since < TIMEOUT_MS) return { step: 'deleting' }
  return { step: 'waiting', message: 'timed out waiting for the condition' }
}
