import { AppliedManifestWork, type ManifestWork, WORK_FINALIZER, WorkCondition, WorkReason } from '@orrery/api'
import { hasFinalizer, isBeingDeleted, isConflict, isNotFound, removeOwner, setCondition } from '@orrery/kube'
import { claimed, ownerOf } from '../applied/appliedwork.js'
import type { Blockers } from '../applied/blockers.js'
import { refOfResource } from '../applied/resources.js'
import { appliedWorkName } from '../appliedname.js'
import type { WorkContext } from '../context.js'
import { isOwnedByWork } from '../plan/ownership.js'
import { namespacedRef } from '../watched/entry.js'
import { kindIfThere } from '../watched/kind.js'

/** Ends a work that is being deleted: has its record on the cluster deleted, and lets go of it when that is gone. */
export async function endWork(
  work: ManifestWork,
  context: WorkContext,
  blockers: Blockers,
  signal: AbortSignal,
): Promise<void> {
  if (!hasFinalizer(work, WORK_FINALIZER)) return
  const { spoke, source, appliedWorks, hubHash, agentId } = context
  const name = appliedWorkName(hubHash, work.metadata.name)
  // Once the finalizer is off, nobody deletes what is left: the local copy, which may be behind, is not enough to tell.
  const found = appliedWorks.get({ name }) ?? (await spoke.find(AppliedManifestWork, { name }, { signal }))
  if (found === undefined) {
    await source.removeFinalizer(work, { signal })
    return
  }
  const spec = { hubHash, agentID: agentId, manifestWorkName: work.metadata.name }
  const record = await claimed(found, spec, spoke, signal)
  await reportDeleting(work, context, blockers.get(name), signal)
  if (isBeingDeleted(record)) return
  await leaveOrphans(work, record, context, signal)
  try {
    await spoke.delete(AppliedManifestWork, { name }, { preconditions: { uid: record.metadata.uid }, signal })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

async function reportDeleting(
  work: ManifestWork,
  { source, clock }: WorkContext,
  blocker: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const message = `ManifestWork is being deleted${blocker === undefined ? '' : `; ${blocker}`}`
  const statusOf = ({ metadata, status }: ManifestWork) => {
    const finding = {
      type: WorkCondition.Deleting,
      status: 'True',
      reason: WorkReason.Deleting,
      message,
      observedGeneration: metadata.generation,
    } as const
    return { ...status, conditions: setCondition(status?.conditions, finding, clock.now()) }
  }
  await source.writeStatus(work, statusOf, { signal })
}

/** What is to stay may have been said only just before the deletion: then the objects are still owned. */
async function leaveOrphans(
  work: ManifestWork,
  record: AppliedManifestWork,
  { spoke, discovery, watched }: WorkContext,
  signal: AbortSignal,
): Promise<void> {
  const owner = ownerOf(record)
  const refs = (record.status?.appliedResources ?? []).map(refOfResource)
  const orphans = refs.filter((ref) => !isOwnedByWork(ref, work.spec?.deleteOption))
  await Promise.all(
    orphans.map(async (ref) => {
      const kind = await kindIfThere(discovery, ref, signal)
      if (kind === undefined) return
      const object = watched.get(ref) ?? (await spoke.find(kind, namespacedRef(ref), { signal }))
      try {
        if (object !== undefined) await removeOwner(spoke, kind, object, owner, { signal })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }),
  )
}
