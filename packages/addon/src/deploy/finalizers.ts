import { ManagedClusterAddOn } from '@orrery/api'
import { isNotFound } from '@orrery/kinds/values'
import { isBeingDeleted, type KubeClient } from '@orrery/kube'
import { patchLocked } from '@orrery/kube/write'

/** Sets the finalizers of an add-on to the result of `change`. Sends nothing if they stay. Undefined if the add-on is gone. */
async function changeFinalizers(
  client: KubeClient,
  addon: ManagedClusterAddOn,
  change: (finalizers: readonly string[], isDeleting: boolean) => readonly string[],
  signal: AbortSignal,
): Promise<ManagedClusterAddOn | undefined> {
  const patchOf = (current: ManagedClusterAddOn) => {
    const before = current.metadata.finalizers ?? []
    const after = change(before, isBeingDeleted(current))
    const isSame = before.length === after.length && before.every((finalizer, index) => finalizer === after[index])
    return isSame ? undefined : { metadata: { finalizers: after.length === 0 ? null : [...after] } }
  }
  try {
    return await patchLocked(client, ManagedClusterAddOn, addon, patchOf, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Removes finalizers of an add-on. */
export function withoutFinalizers(
  client: KubeClient,
  addon: ManagedClusterAddOn,
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<ManagedClusterAddOn | undefined> {
  const change = (known: readonly string[]) => known.filter((finalizer) => !finalizers.includes(finalizer))
  return changeFinalizers(client, addon, change, signal)
}
