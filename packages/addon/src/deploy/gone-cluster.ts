import {
  AddOnCondition,
  DEPRECATED_ADDON_FINALIZERS,
  HOSTING_MANIFESTS_FINALIZER,
  HOSTING_PRE_DELETE_FINALIZER,
  ManagedCluster,
  ManagedClusterAddOn,
  PRE_DELETE_FINALIZER,
} from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import type { ReconcileContext } from '@orrery/kube'
import type { AddonWorks } from './addon-works.js'
import { deleteWorks } from './delete-works.js'
import { withoutFinalizers } from './finalizers.js'

/** The finalizers that the deploy controller sets on a ManagedClusterAddOn, or set in older versions. */
const FINALIZERS: readonly string[] = [
  PRE_DELETE_FINALIZER,
  HOSTING_PRE_DELETE_FINALIZER,
  HOSTING_MANIFESTS_FINALIZER,
  ...DEPRECATED_ADDON_FINALIZERS,
]

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
  if (!wasRegistered && !finalizers.some((finalizer) => FINALIZERS.includes(finalizer))) return
  // Informers lag behind: the cluster may have been created in the meantime.
  if ((await client.find(ManagedCluster, { name: namespace }, { signal })) !== undefined) return
  const { deploy, hook, hosting, hostingHooks } = works
  await deleteWorks(client, [...deploy, ...(hook === undefined ? [] : [hook]), ...hosting, ...hostingHooks], signal)
  await client.ensureDeleted(ManagedClusterAddOn, { namespace, name }, { preconditions: { uid }, signal })
  await withoutFinalizers(client, addon, FINALIZERS, signal)
  log.info('deleted the add-on of a cluster that is gone')
}
