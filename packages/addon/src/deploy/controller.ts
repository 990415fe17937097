import type { ControllerSpec, ReconcileContext } from '@orrery/kube'
import { each } from '@orrery/kube'
import type { AddonManagerContext } from '../manager/context.js'
import { addonOfWork, indexByAddon, worksOfAddon } from './addon-works.js'
import { deleteWorks } from './delete-works.js'
import { deleteAfterCluster } from './gone-cluster.js'

/** Deploys the agents of add-ons with ManifestWorks, and reports on them in the ManagedClusterAddOns. */
export function deployController(context: AddonManagerContext): ControllerSpec {
  const { agents, clusters, addons, works, triggered } = context
  indexByAddon(works)

  /** The add-ons of a cluster that this manager has. */
  const ofCluster = function* ({ metadata: { name: namespace } }: { readonly metadata: { readonly name: string } }) {
    for (const name of agents.keys()) yield { namespace, name }
  }

  async function reconcile(
    ref: { readonly namespace?: string | undefined; readonly name: string },
    run: ReconcileContext,
  ) {
    const agent = agents.get(ref.name)
    if (agent === undefined || ref.namespace === undefined) return
    const known = worksOfAddon(works, ref)
    const addon = addons.get(ref)
    // Works in other namespaces have no owner that would delete them.
    if (addon === undefined) return deleteWorks(run.client, [...known.hosting, ...known.hostingHooks], run.signal)
    const cluster = clusters.get({ name: ref.namespace })
    if (cluster === undefined) return deleteAfterCluster(addon, known, run)
  }

  return {
    name: 'addon-deploy-controller',
    concurrency: 10,
    wakes: [each(addons), each(works, addonOfWork), each(clusters, ofCluster), triggered],
    reconcile,
  }
}
