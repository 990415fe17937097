import { WORK_FINALIZER } from '@orrery/api'
import type { ApiObject, Draft, JsonObject, Kind } from '@orrery/kinds'
import { getOwn } from '@orrery/kinds/values'
import { ensure, isBeingDeleted, type KubeClient, removeFinalizer } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { refOfObject, semanticEqual } from '@orrery/kube/write'
import { HUB_FIELD_MANAGER } from '../field-manager.js'

/**
 * Ensures an object that gives an agent access. One that is being deleted, or has another `roleRef`, which cannot be
 * changed, is replaced.
 */
export async function ensureAccess<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T>,
  wanted: Draft<T>,
  current: T | undefined,
  options: CallOptions,
): Promise<void> {
  const isReplaced = current !== undefined && (isBeingDeleted(current) || !hasSameRole(current, wanted))
  if (isReplaced) await deleteAccess(client, kind, current, options)
  const kept = isReplaced ? undefined : current
  await ensure(client, kind, wanted, kept, { ...options, fieldManager: HUB_FIELD_MANAGER })
}

/** Deletes an object that gives an agent access at once, though works may still be there that the agent needs it for. */
export async function deleteAccess<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T>,
  object: T,
  options: CallOptions,
): Promise<void> {
  await removeFinalizer(client, kind, object, WORK_FINALIZER, options)
  const { uid } = object.metadata
  await client.ensureDeleted(kind, refOfObject(object), { ...options, preconditions: { uid } })
}

function hasSameRole(current: object, wanted: object): boolean {
  return semanticEqual(getOwn(current as JsonObject, 'roleRef'), getOwn(wanted as JsonObject, 'roleRef'))
}
