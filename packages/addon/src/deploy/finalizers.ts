import { DEPRECATED_ADDON_FINALIZERS, ManagedClusterAddOn } from '@orrery/api'
import { isNotFound } from '@orrery/kinds/values'
import { isBeingDeleted, type KubeClient } from '@orrery/kube'
import { patchLocked } from '@orrery/kube/write'

/**
 * Adds finalizers to an add-on, unless it is being deleted. Removes those of older versions. Undefined if the add-on is gone.
 */
export function addFinalizers(
  client: KubeClient,
  addon: ManagedClusterAddOn,
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<ManagedClusterAddOn | undefined> {
  return changeFinalizers(client, addon, signal, (known, isDeleting) => [
    ...known.filter((finalizer) => !isDeprecated(finalizer)),
    ...(isDeleting ? [] : finalizers.filter((finalizer) => !known.includes(finalizer))),
  ])
}

/** Removes finalizers of an add-on, and those of older versions. Undefined if the add-on is gone. */
export function removeFinalizers(
  client: KubeClient,
  addon: ManagedClusterAddOn,
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<ManagedClusterAddOn | undefined> {
  return changeFinalizers(client, addon, signal, (known) =>
    known.filter((finalizer) => !finalizers.includes(finalizer) && !isDeprecated(finalizer)),
  )
}

export function isDeprecated(finalizer: string): boolean {
  return (DEPRECATED_ADDON_FINALIZERS as readonly string[]).includes(finalizer)
}

async function changeFinalizers(
  client: KubeClient,
  addon: ManagedClusterAddOn,
  signal: AbortSignal,
  change: (finalizers: readonly string[], isDeleting: boolean) => readonly string[],
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
