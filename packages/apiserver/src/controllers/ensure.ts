import type { KubeObject } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import type { InternalClient, ResourceRef } from '../registry/internal.js'

/** Creates an object unless there is one of the name. The object given is used up. */
export async function createIfMissing(client: InternalClient, ref: ResourceRef, object: KubeObject): Promise<void> {
  const { namespace = '', name = '' } = object.metadata
  if (client.get(ref, namespace, name) !== undefined) return
  try {
    await client.create(ref, object)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
