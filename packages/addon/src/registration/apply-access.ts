import type { ApiObject, Draft, Kind, RoleRef } from '@orrery/kinds'
import { ensure, isBeingDeleted } from '@orrery/kube'
import { semanticEqual } from '@orrery/kube/write'
import type { AddonContext } from '../agent-addon.js'

/** Ensures a role or a binding. One that is being deleted, or has another `roleRef`, which cannot be changed, is replaced. */
export async function applyAccess<T extends ApiObject & { readonly roleRef?: RoleRef }>(
  { client, signal }: AddonContext,
  kind: Kind<T>,
  wanted: Draft<T>,
): Promise<void> {
  const { name = '', namespace } = wanted.metadata
  const current = await client.find(kind, { namespace, name }, { signal })
  const isReplaced =
    current !== undefined &&
    (isBeingDeleted(current) || !semanticEqual(current.roleRef, (wanted as Partial<T>).roleRef))
  if (isReplaced) {
    const { uid } = current.metadata
    await client.ensureDeleted(kind, { namespace, name }, { signal, preconditions: { uid } })
  }
  await ensure(client, kind, wanted, isReplaced ? undefined : current, { signal })
}
