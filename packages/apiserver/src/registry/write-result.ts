import type { KubeObject } from '@orrery/kinds'
import type { Entry } from '../store/types.js'
import type { WriteContext } from './context.js'
import { encodeObject, isEmptyList } from './object-meta.js'
import type { Registry } from './registry.js'

/** The result of a write. */
export interface WriteResult {
  /** In the version of the request. */
  readonly object: KubeObject
  /** The stored version; undefined if nothing was written (dry run) or the object was removed. */
  readonly entry: Entry | undefined
  readonly created: boolean
}

/**
 * Writes the stored form, and sets the revision in both forms; resolves when it is durable. Throws `HeadMoved` on a
 * conflict.
 */
export function putObject(
  registry: Registry,
  context: WriteContext,
  expected: Entry | undefined,
  object: KubeObject,
  stored: KubeObject,
): Promise<Entry> {
  const { bucket } = context.logic.resource.storage
  const encode = (revision: number): Buffer => {
    if (stored !== object) object.metadata.resourceVersion = String(revision)
    return encodeObject(stored, revision, context.verbatim)
  }
  const hasOwners = !isEmptyList(stored.metadata.ownerReferences)
  return registry.store.put(bucket, context.namespace, object.metadata.name ?? '', expected, encode, hasOwners)
}
