import { AddOnCondition } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { findCondition, keyOf } from '@orrery/kinds/values'
import { type ControllerSpec, each, type ReconcileContext } from '@orrery/kube'
import type { Requeue } from '@orrery/kube/controller'
import type { InstallMode } from '../agent-addon.js'
import type { AddonManagerContext } from '../manager/context.js'
import { addonOfWork, indexByAddon, worksOfAddon } from './addon-works.js'
import { clusterWake } from './cluster-wake.js'
import { addFinalizers } from './finalizers.js'
import { deleteAfterAddon, deleteAfterCluster } from './gone-cluster.js'
import { hostingOf } from './hosting.js'
import { textOf } from './render.js'
import { reportProblem } from './status.js'
import { syncAddon } from './sync.js'
import { UpdateLimit } from './update-limit.js'

/** As often as Open Cluster Management's: manifests may depend on more than the hub. */
const RESYNC_MILLISECONDS = 600_000
/** A failure may not delay the end of the time for hooks much. */
const MAX_BACKOFF_MILLISECONDS = 60_000

/** Deploys the agents of add-ons with ManifestWorks, and reports on them in the ManagedClusterAddOns. */
export function deployController(context: AddonManagerContext): ControllerSpec {
  const { agents, clusters, addons, works, triggered, events, clock } = context
  const limit = new UpdateLimit(clock)
  indexByAddon(works)

  async function reconcile(ref: ObjectRef, run: ReconcileContext): Promise<Requeue | undefined> {
    const agent = agents.get(ref.name)
    if (agent === undefined || ref.namespace === undefined) return undefined
    const known = worksOfAddon(works, ref)
    const addon = addons.get(ref)
    const cluster = clusters.get({ name: ref.namespace })
    if (addon === undefined) {
      limit.forget(keyOf(ref))
      await deleteAfterAddon(ref.namespace, cluster, known, run)
      return undefined
    }
    if (cluster === undefined) {
      await deleteAfterCluster(addon, known, run)
      return undefined
    }
    if (findCondition(addon.status?.conditions, AddOnCondition.RegistrationApplied) === undefined) {
      await addFinalizers(run.client, addon, [], run.signal)
      return undefined
    }
    let install: InstallMode
    try {
      install = agent.hostedMode?.(addon, cluster) ?? { mode: 'Default' }
    } catch (error) {
      await reportProblem(addon, `failed to get manifest from agent interface: ${textOf(error)}`, run)
      throw error
    }
    const hosting = hostingOf(install, clusters)
    return syncAddon({ agent, addon, cluster, install, hosting, works: known }, { events, limit }, run)
  }

  const isManaged = ({ metadata }: { readonly metadata: ObjectRef }) =>
    agents.has(metadata.name) ? metadata : undefined
  return {
    name: 'addon-deploy-controller',
    concurrency: 10,
    resyncMilliseconds: RESYNC_MILLISECONDS,
    backoff: { maxMilliseconds: MAX_BACKOFF_MILLISECONDS },
    wakes: [each(addons, isManaged), each(works, addonOfWork), clusterWake(context), triggered],
    reconcile,
  }
}
