import { WORK_FIELD_MANAGER } from '@orrery/api'
import type { JsonValue } from '@orrery/kinds'
import type { DynamicObject } from '@orrery/kube/discovery'
import { namespacedRef } from '../watched/entry.js'
import { type ApplyRequest, converge } from './apply-request.js'
import { mergeOwner } from './metadata.js'
import { create } from './update.js'

/** Creates the object, and leaves it alone once it is there, but for who owns it. */
export function applyCreateOnly(request: ApplyRequest): Promise<DynamicObject> {
  return converge(request, {
    create: () => create(request),
    change: (current) => writeOwner(request, current),
  })
}

/** Makes the object owned, or not, as it is to be. No request when it is so. */
export async function writeOwner(request: ApplyRequest, current: DynamicObject): Promise<DynamicObject> {
  const { manifest, owner, client, signal, dryRun = false } = request
  const { uid, resourceVersion, ownerReferences: known = [] } = current.metadata
  const owners = mergeOwner(known, owner, manifest.isOwned)
  if (owners === known) return current
  const ownerReferences = owners.length === 0 ? null : (owners as unknown as JsonValue)
  const patch = { metadata: { uid, resourceVersion, ownerReferences } }
  const options = { fieldManager: WORK_FIELD_MANAGER, signal, dryRun }
  return client.patch(manifest.kind, namespacedRef(manifest.ref), patch, options)
}
