import type { ApiObject, Kind } from '@orrery/kinds'
import { isNotFound } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { type LockedPatchOptions, patchLocked } from './patch.js'

export function hasFinalizer({ metadata: { finalizers } }: ApiObject, finalizer: string): boolean {
  return finalizers?.includes(finalizer) ?? false
}

export function isBeingDeleted({ metadata: { deletionTimestamp } }: ApiObject): boolean {
  return deletionTimestamp !== undefined
}

/** Adds a finalizer, so that the object stays until it is removed. An object that is being deleted stays as it is. */
export function addFinalizer<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  finalizer: string,
  options: LockedPatchOptions = {},
): Promise<T> {
  const patchOf = (current: T) => {
    // Servers reject new finalizers then.
    if (hasFinalizer(current, finalizer) || isBeingDeleted(current)) return undefined
    return { metadata: { finalizers: [...(current.metadata.finalizers ?? []), finalizer] } }
  }
  return patchLocked(client, kind, object, patchOf, options)
}

/** Removes a finalizer. Resolves with undefined if the object is gone. */
export async function removeFinalizer<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  finalizer: string,
  options: LockedPatchOptions = {},
): Promise<T | undefined> {
  const patchOf = (current: T) => {
    if (!hasFinalizer(current, finalizer)) return undefined
    const rest = (current.metadata.finalizers ?? []).filter((name) => name !== finalizer)
    return { metadata: { finalizers: rest.length === 0 ? null : rest } }
  }
  try {
    return await patchLocked(client, kind, object, patchOf, options)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
