import { ADDON_NAME_LABEL, ManagedClusterAddOn, ManifestWork } from '@orrery/api'
import { type AddOnProblem, isLasting, problemsWithWorks } from '@orrery/hub/operations'
import { Deployment, Pod } from '@orrery/kinds'
import { Informers, type KubeClient, startControllers } from '@orrery/kube'
import { always } from '@orrery/kube/controller'
import { silentLogger } from '@orrery/kube/log'
import { type AddOnOnHub, isController, problemsOfControllers } from './controller-problems.js'

/** Called with what has changed since the last call. */
export interface ProblemListener {
  appeared(problem: AddOnProblem): Promise<void>
  solved(problem: AddOnProblem): Promise<void>
}

/**
 * Watches an add-on on the hub, and reports failures when they appear and when they are solved: of its controller, and of its agents,
 * whose clusters report them in the status of works and ManagedClusterAddOns. Returns a function that stops it.
 */
export function watchAddOnProblems(hub: KubeClient, addOn: AddOnOnHub, listener: ProblemListener): () => Promise<void> {
  const informers = new Informers(hub, { log: silentLogger })
  const addOns = informers.of(ManagedClusterAddOn, { fieldSelector: `metadata.name=${addOn.name}` })
  const works = informers.of(ManifestWork, { labelSelector: `${ADDON_NAME_LABEL}=${addOn.name}` })
  const deployments = informers.of(Deployment)
  const pods = informers.of(Pod)
  const ref = { name: addOn.name }
  let known = new Map<string, AddOnProblem>()

  function current(): AddOnProblem[] {
    const controllers = deployments.list().filter((one) => isController(one, addOn))
    return [
      ...problemsOfControllers(addOn.name, controllers, pods.list()),
      ...addOns.list().flatMap((one) => {
        const { namespace } = one.metadata
        return problemsWithWorks(
          one,
          works.list().filter(({ metadata }) => metadata.namespace === namespace),
        )
      }),
    ].filter(isLasting)
  }

  const controllers = startControllers(
    [
      {
        name: 'addon-problems',
        wakes: [addOns, works, deployments, pods].map((informer) => always(informer, ref)),
        async reconcile() {
          const before = known
          known = new Map(current().map((problem) => [`${problem.cluster} ${problem.about}`, problem]))
          for (const [key, problem] of known) if (!before.has(key)) await listener.appeared(problem)
          for (const [key, problem] of before) if (!known.has(key)) await listener.solved(problem)
        },
      },
    ],
    { client: hub, log: silentLogger },
  )
  return async () => {
    await controllers.stop()
    await informers.close()
  }
}
