import type { ManifestWork } from '@orrery/api'
import { Pod, ReplicaSet } from '@orrery/kinds'
import { hasCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { controllerOf } from '@orrery/kube/write'
import { PLAYED_CONDITION } from '@orrery/node/conditions'

/**
 * The objects of works whose pods the node of a cluster plays, because it has no program for their image:
 * `Deployment shop/web`.
 */
export async function playedWorkloads(cluster: KubeClient, works: readonly ManifestWork[]): Promise<string[]> {
  const objects = works.flatMap(({ status }) => status?.resourceStatus?.manifests ?? []).map((one) => one.resourceMeta)
  const namespaces = new Set(objects.flatMap(({ namespace = '' }) => (namespace === '' ? [] : [namespace])))
  const played = await Promise.all(Array.from(namespaces, (namespace) => playedIn(cluster, namespace)))
  const names = new Set(played.flat())
  return objects
    .map(({ kind = '', namespace = '', name = '' }) => `${kind} ${namespace}/${name}`)
    .filter((name) => names.has(name))
}

/** The played pods of a namespace, and their controllers. */
async function playedIn(cluster: KubeClient, namespace: string): Promise<string[]> {
  const pods = await cluster.list(Pod, { namespace })
  const played = pods.items.filter(({ status }) => hasCondition(status?.conditions, PLAYED_CONDITION, 'True'))
  const named = (kind: string, name: string) => `${kind} ${namespace}/${name}`
  const direct = played.map((pod) => {
    const { kind, name } = controllerOf(pod) ?? { kind: Pod.kind, name: pod.metadata.name }
    return named(kind, name)
  })
  const isOfDeployment = direct.some((name) => name.startsWith(`${ReplicaSet.kind} `))
  const replicaSets = isOfDeployment ? (await cluster.list(ReplicaSet, { namespace })).items : []
  const deployments = replicaSets.flatMap((replicaSet) => {
    const owner = controllerOf(replicaSet)
    return owner !== undefined && direct.includes(named(ReplicaSet.kind, replicaSet.metadata.name))
      ? [named(owner.kind, owner.name)]
      : []
  })
  return [...direct, ...deployments]
}
