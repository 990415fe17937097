import { AppliedManifestWork, type AppliedResource } from '@orrery/api'
import type { OwnerReference } from '@orrery/kinds'
import { isConflict, isNotFound, parseGroupVersion } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { Discovery, DynamicObject } from '@orrery/kube/discovery'
import { removeOwner } from '@orrery/kube/write'
import { inParallel } from '../../parallel.js'
import type { OwnSecrets } from '../own-secrets.js'
import { namespacedRef } from '../watched/entry.js'
import { kindIfThere } from '../watched/kind.js'
import type { WatchedObjects } from '../watched/types.js'
import { refOfResource } from './resources.js'

export interface RemovalOptions {
  readonly client: KubeClient
  readonly discovery: Discovery
  readonly watched: WatchedObjects
  readonly ownSecrets: OwnSecrets
  readonly signal: AbortSignal
}

/** How often an object is read again when others change it at the same time. */
const TRIES = 5

/** The result of removing objects. */
export interface Removal {
  /** Objects that are being deleted. */
  readonly pending: readonly AppliedResource[]
  /** Objects that could not be removed, with the error. */
  readonly failures: readonly { readonly resource: AppliedResource; readonly error: unknown }[]
}

/**
 * Deletes objects that only this owner owns, and removes the owner reference from those with other owners. Objects
 * that it does not own, including new ones of the same name, stay.
 */
export async function removeResources(
  resources: readonly AppliedResource[],
  owner: Pick<OwnerReference, 'uid'>,
  options: RemovalOptions,
): Promise<Removal> {
  const pending: AppliedResource[] = []
  const failures: { resource: AppliedResource; error: unknown }[] = []
  await inParallel(resources, async (resource) => {
    try {
      if (!(await remove(resource, owner, options))) pending.push(resource)
    } catch (error) {
      failures.push({ resource, error })
    }
  })
  return { pending, failures }
}

/** Whether the object is gone or no longer owned by this owner. */
async function remove(
  resource: AppliedResource,
  owner: Pick<OwnerReference, 'uid'>,
  { client, discovery, watched, ownSecrets, signal }: RemovalOptions,
): Promise<boolean> {
  const ref = refOfResource(resource)
  const kind = await kindIfThere(discovery, ref, signal)
  if (kind === undefined) return true
  const read = () => client.find(kind, namespacedRef(ref), { signal })
  // The watch may not have seen the object yet.
  let current = watched.get(ref) ?? (await read())
  for (let attempt = 1; ; attempt++) {
    if (current === undefined || !isOwnedBy(current, owner)) return true
    // An earlier version of the agent may have made a work the owner of one of the agent's own Secrets.
    if (hasOtherWorks(current, owner) || ownSecrets.has(ref)) {
      await removeOwner(client, kind, current, owner, { signal })
      return true
    }
    const { uid, resourceVersion, deletionTimestamp } = current.metadata
    if (uid !== resource.uid) return true
    if (deletionTimestamp !== undefined) return false
    try {
      const options = { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background', signal } as const
      const answer = await client.delete(kind, namespacedRef(ref), options)
      return answer.kind === 'Status'
    } catch (error) {
      if (isNotFound(error)) return true
      if (!isConflict(error) || attempt >= TRIES) throw error
      current = await read()
    }
  }
}

function isOwnedBy({ metadata }: DynamicObject, { uid }: Pick<OwnerReference, 'uid'>): boolean {
  return metadata.ownerReferences?.some((reference) => reference.uid === uid) ?? false
}

/** Whether another work owns the object. */
function hasOtherWorks({ metadata }: DynamicObject, owner: Pick<OwnerReference, 'uid'>): boolean {
  return (
    metadata.ownerReferences?.some(
      ({ uid, kind, apiVersion }) =>
        uid !== owner.uid &&
        kind === AppliedManifestWork.kind &&
        parseGroupVersion(apiVersion)?.group === AppliedManifestWork.group,
    ) ?? false
  )
}
