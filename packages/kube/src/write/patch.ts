import type { ApiObject, JsonObject, Kind, ObjectRef } from '@orrery/kinds'
import { notFound } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import type { WriteOptions } from '../client/options.js'
import { retryOnConflict } from './retry.js'

export interface LockedPatchOptions extends WriteOptions {
  /** How often to try if others write at the same time. Default 10. */
  readonly tries?: number
}

/**
 * Sends a merge patch with optimistic locking: it has the object's uid and resourceVersion. On a conflict, reads the
 * object and computes the patch again. Sends nothing if there is no patch. An object that was replaced by another of
 * the same name is `NotFound`.
 */
export async function patchLocked<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  patchOf: (current: T) => JsonObject | undefined,
  options: LockedPatchOptions = {},
): Promise<T> {
  const ref = refOfObject(object)
  const { tries, ...write } = options
  return retryOnConflict(async (attempt) => {
    const current = attempt === 1 ? object : await sameObject(client, kind, object, options)
    const patch = patchOf(current)
    if (patch === undefined) return current
    const { uid, resourceVersion } = current.metadata
    const metadata = { ...(patch.metadata as JsonObject | undefined), uid, resourceVersion }
    return client.patch(kind, ref, { ...patch, metadata }, write)
  }, tries)
}

async function sameObject<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  { signal }: LockedPatchOptions,
): Promise<T> {
  const { name, uid } = object.metadata
  const current = await client.get(kind, refOfObject(object), signal === undefined ? {} : { signal })
  if (current.metadata.uid !== uid) throw notFound({ group: kind.group, resource: kind.plural }, name)
  return current
}

export function refOfObject({ metadata: { name, namespace } }: ApiObject): ObjectRef {
  return { name, namespace }
}
