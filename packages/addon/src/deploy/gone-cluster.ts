import { AddOnCondition, ManagedCluster, ManagedClusterAddOn, ManifestWork, WORK_FINALIZER } from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import { type ReconcileContext, removeFinalizer } from '@orrery/kube'
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
  run: ReconcileContext,
): Promise<void> {
  const { client, log, signal } = run
  const { name, namespace, uid, finalizers = [] } = addon.metadata
  const wasRegistered = findCondition(addon.status?.conditions, AddOnCondition.RegistrationApplied) !== undefined
  if (!wasRegistered && !finalizers.some(isOurs)) return
  if (!(await isGone(namespace, run))) return
  await deleteWorks(client, [...works.hosting, ...works.hostingHook], signal)
  await releaseWorks(works, run)
  await client.ensureDeleted(ManagedClusterAddOn, { namespace, name }, { preconditions: { uid }, signal })
  await removeFinalizers(client, addon, DEPLOY_FINALIZERS, signal)
  log.info('deleted the add-on of a cluster that is gone')
}

/**
 * Deletes the works of an add-on that is gone, as far as nothing else does: works on a hosting cluster have no owner, and works of a
 * cluster that is gone wait for an agent that cannot reach the hub any more.
 */
export async function deleteAfterAddon(
  namespace: string,
  cluster: ManagedCluster | undefined,
  works: AddonWorks,
  run: ReconcileContext,
): Promise<void> {
  await deleteWorks(run.client, [...works.hosting, ...works.hostingHook], run.signal)
  const hasWorks = works.deploy.length > 0 || works.hook.length > 0
  if (hasWorks && cluster === undefined && (await isGone(namespace, run))) await releaseWorks(works, run)
}

/** Informers lag behind: the cluster may have been created in the meantime. */
async function isGone(name: string, { client, signal }: ReconcileContext): Promise<boolean> {
  return (await client.find(ManagedCluster, { name }, { signal })) === undefined
}

/** Deletes the works of a cluster that is gone. An agent that still runs removes their objects when the works are missing. */
async function releaseWorks({ deploy, hook }: AddonWorks, { client, signal }: ReconcileContext): Promise<void> {
  const works = [...deploy, ...hook]
  await deleteWorks(client, works, signal)
  for (const work of works) await removeFinalizer(client, ManifestWork, work, WORK_FINALIZER, { signal })
}

function isOurs(finalizer: string): boolean {
  return isDeprecated(finalizer) || (DEPLOY_FINALIZERS as readonly string[]).includes(finalizer)
}
