import {
  AppliedManifestWork,
  type AppliedResource,
  isOwnedByWork,
  type ManifestWork,
  WorkCondition,
  WorkReason,
} from '@orrery/api'
import { isConflict, isNotFound, resourceName, setCondition } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'
import { removeOwner } from '@orrery/kube/write'
import { inParallel } from '../../parallel.js'
import { ownerOf, takeOver } from '../applied-work/applied-work.js'
import { appliedWorkName } from '../applied-work/applied-work-name.js'
import type { Blocker, Blockers } from '../applied-work/blockers.js'
import { refOfResource } from '../applied-work/resources.js'
import type { WorkContext } from '../context.js'
import { fitting, someOf } from '../status/message.js'
import { namespacedRef } from '../watched/entry.js'
import { kindIfThere } from '../watched/kind.js'

/** The limit for one object in the message. */
const MAX_BLOCKER = 1_024

/**
 * Finalizes a work that is being deleted: deletes its AppliedManifestWork and removes the finalizer when that is
 * gone.
 */
export async function finalizeWork(
  work: ManifestWork,
  context: WorkContext,
  blockers: Blockers,
  signal: AbortSignal,
): Promise<void> {
  const { spoke, source, appliedWorks, agentId } = context
  if (!source.isHeld(work)) return
  const { hubHash } = source
  const name = appliedWorkName(hubHash, work.metadata.name)
  // Once the work is released, nothing deletes what is left: the cache, which may be stale, is not enough to decide.
  const found = appliedWorks.get({ name }) ?? (await spoke.find(AppliedManifestWork, { name }, { signal }))
  if (found === undefined) {
    await source.release(work, { signal })
    return
  }
  const spec = { hubHash, agentID: agentId, manifestWorkName: work.metadata.name }
  const record = await takeOver(found, spec, spoke, signal)
  await reportDeleting(work, context, await blockerText(work, blockers.get(name), context, signal), signal)
  if (isBeingDeleted(record)) return
  await leaveOrphans(work, record, context, signal)
  try {
    await spoke.delete(AppliedManifestWork, { name }, { preconditions: { uid: record.metadata.uid }, signal })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

/** The objects that block the deletion of a work, as far as the work may report them. */
async function blockerText(
  work: ManifestWork,
  blockers: readonly Blocker[],
  { reads }: WorkContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (blockers.length === 0) return undefined
  const accessTo = ({ resource }: Blocker) => ({ ...refOfResource(resource), verb: 'get' })
  const targets = blockers.map((blocker) => ({ ...accessTo(blocker), state: undefined }))
  const reading = await reads.of(work, targets, signal)
  const named = blockers.map((blocker) => {
    const name = nameOf(blocker.resource)
    const answer = reading.answer(accessTo(blocker))
    const isReadable = answer !== undefined && answer.refusal === undefined
    return blocker.why === undefined || !isReadable ? name : `${name} (${blocker.why})`
  })
  return `waiting for ${someOf(named.map((name) => fitting(name, MAX_BLOCKER)))} to be gone`
}

function nameOf({ group = '', resource, namespace = '', name }: AppliedResource): string {
  return `${resourceName({ group, plural: resource })} ${namespace === '' ? name : `${namespace}/${name}`}`
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

/** The orphaning rules may have been set just before the deletion: then the objects are still owned. */
async function leaveOrphans(
  work: ManifestWork,
  record: AppliedManifestWork,
  { spoke, discovery, watched }: WorkContext,
  signal: AbortSignal,
): Promise<void> {
  const owner = ownerOf(record)
  const refs = (record.status?.appliedResources ?? []).map(refOfResource)
  const orphans = refs.filter((ref) => !isOwnedByWork(ref, work.spec?.deleteOption))
  await inParallel(orphans, async (ref) => {
    const kind = await kindIfThere(discovery, ref, signal)
    if (kind === undefined) return
    const object = watched.get(ref) ?? (await spoke.find(kind, namespacedRef(ref), { signal }))
    try {
      if (object !== undefined) await removeOwner(spoke, kind, object, owner, { signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  })
}
