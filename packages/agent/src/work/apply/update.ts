import { WORK_FIELD_MANAGER } from '@orrery/api'
import type { JsonObject, KubeObject, ObjectMeta } from '@orrery/kinds'
import { isAlreadyExists, isInvalid } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import { semanticEqual } from '@orrery/kube/write'
import { namespacedRef } from '../watched/entry.js'
import { type ApplyRequest, converge } from './apply-request.js'
import { type Content, contentOf, contentToHave, mergedContent } from './carry-over.js'
import { changedMetadata, newObject } from './metadata.js'

/** Creates the object, or replaces its content with the manifest's. Labels, annotations and owners of others stay. */
export function applyUpdate(request: ApplyRequest): Promise<DynamicObject> {
  return converge(request, {
    create: () => create(request),
    change: (current) => replace(request, current),
  })
}

/** Creates the object from the manifest. */
export function create({
  manifest,
  desired,
  owner,
  client,
  signal,
  dryRun = false,
}: ApplyRequest): Promise<DynamicObject> {
  const object = newObject(desired, owner, manifest.isOwned)
  return client.create(manifest.kind, object, { fieldManager: WORK_FIELD_MANAGER, signal, dryRun })
}

async function replace(request: ApplyRequest, current: DynamicObject): Promise<DynamicObject> {
  const { manifest, desired, owner } = request
  const metadata = changedMetadata(current, desired, owner, manifest.isOwned)
  const content = contentToHave(desired, current)
  if (metadata === undefined && semanticEqual(content, contentOf(current))) return current
  const send = (what: Content) => put(request, current.status, metadata ?? current.metadata, what)
  if (isOtherSecret(desired, current)) return recreate(request, current)
  try {
    return await send(content)
  } catch (error) {
    if (!isInvalid(error)) throw error
    // The server may have set fields that cannot be removed: then the manifest is merged into the current content.
    const known = contentOf(current)
    const merged = mergedContent(known as JsonObject, content as JsonObject, manifest.kind.kind === 'Pod') as JsonObject
    const isThere = semanticEqual(merged, known)
    if (isThere && metadata === undefined) return current
    try {
      return await send(merged)
    } catch {
      if (isImmutableSecret(desired, current)) return recreate(request, current)
      throw error
    }
  }
}

function put(
  { manifest, desired, client, signal, dryRun = false }: ApplyRequest,
  currentStatus: unknown,
  metadata: ObjectMeta,
  content: Content,
): Promise<DynamicObject> {
  const { apiVersion, kind, status = currentStatus } = desired
  const object: KubeObject = { apiVersion, kind, metadata, ...content, ...(status !== undefined && { status }) }
  return client.update(manifest.kind, object, { fieldManager: WORK_FIELD_MANAGER, signal, dryRun })
}

const isSecret = ({ apiVersion, kind }: KubeObject) => apiVersion === 'v1' && kind === 'Secret'

/** The type of a Secret cannot be changed. */
function isOtherSecret(desired: KubeObject, current: DynamicObject): boolean {
  return isSecret(desired) && (desired.type ?? 'Opaque') !== current.type
}

function isImmutableSecret(desired: KubeObject, current: DynamicObject): boolean {
  return isSecret(desired) && current.immutable === true
}

/**
 * Deletes an object and creates another of the same name. Fails if the object changed, or the name is taken in
 * between.
 */
async function recreate(request: ApplyRequest, { metadata }: DynamicObject): Promise<DynamicObject> {
  const { manifest, client, signal, desired, checkDelete, dryRun = false } = request
  await checkDelete()
  await tryCreation(request)
  if (dryRun) return { ...desired, metadata: { ...metadata, ...desired.metadata } } as DynamicObject
  const preconditions = { uid: metadata.uid, resourceVersion: metadata.resourceVersion }
  await client.delete(manifest.kind, namespacedRef(manifest.ref), { preconditions, signal })
  return create(request)
}

/**
 * Runs a dry-run create first, so that nothing is deleted for an object that the server rejects. Servers validate an
 * object before they check whether its name is taken.
 */
async function tryCreation(request: ApplyRequest): Promise<void> {
  try {
    await create({ ...request, dryRun: true })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
