import { podProblem } from '@orrery/agent'
import { ADDON_NAME_LABEL } from '@orrery/api'
import type { AddOnProblem } from '@orrery/hub/operations'
import { Deployment, type KubeObject, Pod } from '@orrery/kinds'
import { selectsLabels } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { HUB } from '../directory.js'

/** An add-on, and its manifests for the hub, if they are known. */
export interface AddOnOnHub {
  readonly name: string
  readonly manifests?: readonly KubeObject[]
}

/**
 * Whether a Deployment on the hub is the controller of an add-on: it is one of the manifests of the add-on, or it has the label of
 * works of the add-on.
 */
export function isController({ metadata }: Deployment, { name, manifests = [] }: AddOnOnHub): boolean {
  if (metadata.labels?.[ADDON_NAME_LABEL] === name) return true
  return manifests.some(
    (one) =>
      one.kind === Deployment.kind &&
      one.metadata.name === metadata.name &&
      (one.metadata.namespace ?? 'default') === metadata.namespace,
  )
}

/** Why the controllers of an add-on do not run. */
export function problemsOfControllers(
  addOn: string,
  controllers: readonly Deployment[],
  pods: readonly Pod[],
): AddOnProblem[] {
  return controllers.flatMap(({ metadata, spec }) => {
    const { namespace, name } = metadata
    const own = pods.filter(
      (pod) => pod.metadata.namespace === namespace && selectsLabels(spec.selector, pod.metadata.labels),
    )
    const problems = own.flatMap((pod) => podProblem({ ...pod }) ?? [])
    const worst = problems.find(({ isPassing }) => !isPassing) ?? problems[0]
    if (worst === undefined) return []
    const { pod, container, text, isPassing } = worst
    return {
      cluster: HUB,
      addOn,
      about: `Deployment ${namespace}/${name}`,
      message: `the controller of the add-on (Deployment ${namespace}/${name}) does not run: pod ${pod}: ${text}`,
      reason: isPassing ? undefined : 'Failed',
      logs: container === undefined ? undefined : { cluster: HUB, namespace, pod, container },
    }
  })
}

/** Reads why the controllers of an add-on do not run. */
export async function controllerProblems(
  hub: KubeClient,
  addOn: AddOnOnHub,
  call: CallOptions = {},
): Promise<AddOnProblem[]> {
  const { items: deployments } = await hub.list(Deployment, call)
  const controllers = deployments.filter((deployment) => isController(deployment, addOn))
  const namespaces = [...new Set(controllers.map(({ metadata }) => metadata.namespace))]
  const lists = await Promise.all(namespaces.map((namespace) => hub.list(Pod, { ...call, namespace })))
  return problemsOfControllers(
    addOn.name,
    controllers,
    lists.flatMap(({ items }) => items),
  )
}
