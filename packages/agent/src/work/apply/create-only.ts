import { WORK_FIELD_MANAGER } from '@orrery/api'
import type { JsonValue } from '@orrery/kinds'
import type { DynamicObject } from '@orrery/kube/discovery'
import { namespacedRef } from '../watched/entry.js'
import { type ApplyRequest, converge } from './apply-request.js'
import { mergeOwner } from './metadata.js'
import { create } from './update.js'

/** Creates the object. An existing object stays as it is, except for its owner references. */
export function applyCreateOnly(request: ApplyRequest): Promise<DynamicObject> {
  return converge(request, {
    create: () => create(request),
    change: (current) => writeOwner(request, current),
  })
}

/** Adds or removes the owner reference. Sends no request if nothing changes. */
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
