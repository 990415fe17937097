import { AppliedManifestWork, type AppliedResource } from '@orrery/api'
import type { OwnerReference } from '@orrery/kinds'
import { isConflict, isNotFound, parseGroupVersion } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { Discovery, DynamicObject } from '@orrery/kube/discovery'
import { removeOwner } from '@orrery/kube/write'
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

/** How often an object is looked at again when others change it at the same time. */
const TRIES = 5

/** What became of objects that an owner no longer wants. */
export interface Removal {
  /** Those that are on their way out. */
  readonly pending: readonly AppliedResource[]
  /** Those that it failed for, with why. */
  readonly failures: readonly { readonly resource: AppliedResource; readonly error: unknown }[]
}

/**
 * Deletes objects that belong to an owner alone, and takes the owner away from those that others own too. What is not
 * owned, or is another object of the same name, is left alone.
 */
export async function removeResources(
  resources: readonly AppliedResource[],
  owner: Pick<OwnerReference, 'uid'>,
  options: RemovalOptions,
): Promise<Removal> {
  const pending: AppliedResource[] = []
  const failures: { resource: AppliedResource; error: unknown }[] = []
  await Promise.all(
    resources.map(async (resource) => {
      try {
        if (!(await remove(resource, owner, options))) pending.push(resource)
      } catch (error) {
        failures.push({ resource, error })
      }
    }),
  )
  return { pending, failures }
}

/** Whether the object is gone, or no longer the owner's. */
async function remove(
  resource: AppliedResource,
  owner: Pick<OwnerReference, 'uid'>,
  { client, discovery, watched, ownSecrets, signal }: RemovalOptions,
): Promise<boolean> {
  const ref = refOfResource(resource)
  const kind = await kindIfThere(discovery, ref, signal)
  if (kind === undefined) return true
  const read = () => client.find(kind, namespacedRef(ref), { signal })
  // A watch that does not know the object may not know it yet.
  let current = watched.get(ref) ?? (await read())
  for (let attempt = 1; ; attempt++) {
    if (current === undefined || !isOwnedBy(current, owner)) return true
    // An agent that did not know better yet may have let a work own a Secret of its own.
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

/** Whether another work wants the object. */
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
