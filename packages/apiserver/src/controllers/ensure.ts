import type { KubeObject } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import type { InternalClient, ResourceRef } from '../registry/internal.js'

/** Creates an object if it does not exist. Do not use the given object afterwards. */
export async function createIfMissing(client: InternalClient, ref: ResourceRef, object: KubeObject): Promise<void> {
  const { namespace = '', name = '' } = object.metadata
  if (client.get(ref, namespace, name) !== undefined) return
  try {
    await client.create(ref, object)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
