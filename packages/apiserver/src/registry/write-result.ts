import type { KubeObject } from '@orrery/kinds'
import type { Entry } from '../store/types.js'
import type { WriteContext } from './context.js'
import { encodeObject } from './object-meta.js'
import type { Registry } from './registry.js'

/** The result of a write. */
export interface WriteResult {
  /** In the version of the request. */
  readonly object: KubeObject
  /** The stored version; undefined if nothing was written (dry run) or the object was removed. */
  readonly entry: Entry | undefined
  readonly created: boolean
}

/** Writes the stored form; resolves when it is durable. Throws `HeadMoved` on a conflict. */
export function putObject(
  registry: Registry,
  context: WriteContext,
  expected: Entry | undefined,
  object: KubeObject,
  stored: KubeObject,
  created: boolean,
): Promise<WriteResult> {
  const { bucket } = context.logic.resource.storage
  const name = object.metadata.name ?? ''
  const encode = (revision: number) => encodeObject(stored, revision, context.verbatim)
  return registry.store.put(bucket, context.namespace, name, expected, encode).then((entry) => {
    if (stored !== object) object.metadata.resourceVersion = String(entry.revision)
    return { object, entry, created }
  })
}
