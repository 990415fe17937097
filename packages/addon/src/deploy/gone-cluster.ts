import { AddOnCondition, ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import type { ReconcileContext } from '@orrery/kube'
import type { AddonWorks } from './addon-works.js'
import { deleteWorks } from './delete-works.js'
import { isDeprecated, removeFinalizers } from './finalizers.js'
import { DEPLOY_FINALIZERS } from './plan.js'

/**
 * Deletes an add-on whose cluster is gone, with its works: nothing would remove them otherwise, and no hook can run any more.
 * An add-on that was never registered waits for its cluster: users may create it before the cluster.
 */
export async function deleteAfterCluster(
  addon: ManagedClusterAddOn,
  works: AddonWorks,
  { client, log, signal }: ReconcileContext,
): Promise<void> {
  const { name, namespace, uid, finalizers = [] } = addon.metadata
  const wasRegistered = findCondition(addon.status?.conditions, AddOnCondition.RegistrationApplied) !== undefined
  if (!wasRegistered && !finalizers.some(isOurs)) return
  // Informers lag behind: the cluster may have been created in the meantime.
  if ((await client.find(ManagedCluster, { name: namespace }, { signal })) !== undefined) return
  const { deploy, hook, hosting, hostingHook } = works
  await deleteWorks(client, [...deploy, ...hook, ...hosting, ...hostingHook], signal)
  await client.ensureDeleted(ManagedClusterAddOn, { namespace, name }, { preconditions: { uid }, signal })
  await removeFinalizers(client, addon, DEPLOY_FINALIZERS, signal)
  log.info('deleted the add-on of a cluster that is gone')
}

function isOurs(finalizer: string): boolean {
  return isDeprecated(finalizer) || (DEPLOY_FINALIZERS as readonly string[]).includes(finalizer)
}
