import {
  CLUSTER_SET_LABEL,
  DEFAULT_CLUSTER_SET,
  GLOBAL_CLUSTER_SET,
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
} from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { changeLabels } from '@orrery/kube/write'
import { clusterNotFound, clusterSetNotFound } from './not-found.js'
import { OperationError } from './operation-error.js'
import { expressionsOf } from './selector-text.js'

/** Creates a cluster set: of clusters with its label, or of clusters that a label selector such as `region=eu` matches. */
export async function createClusterSet(
  client: KubeClient,
  name: string,
  { selector, ...call }: CallOptions & { readonly selector?: string } = {},
): Promise<ManagedClusterSet> {
  const clusterSelector =
    selector === undefined
      ? ({ selectorType: 'ExclusiveClusterSetLabel' } as const)
      : ({
          selectorType: 'LabelSelector',
          labelSelector: { matchExpressions: expressionsOf(selector, 'a cluster set') },
        } as const)
  try {
    return await client.create(ManagedClusterSet, { metadata: { name }, spec: { clusterSelector } }, call)
  } catch (error) {
    if (isAlreadyExists(error)) throw new OperationError(`cluster set ${name} already exists`, { cause: error })
    throw error
  }
}

/** Moves clusters to a cluster set. Returns those that were in another. */
export async function assignClusters(
  client: KubeClient,
  set: string,
  clusters: readonly string[],
  call: CallOptions = {},
): Promise<string[]> {
  const { spec } = await theSet(client, set, call)
  if (spec.clusterSelector.selectorType === 'LabelSelector') {
    throw new OperationError(
      `cluster set ${set} has the clusters that its selector matches: change their labels instead`,
    )
  }
  const found = await Promise.all(clusters.map((name) => client.find(ManagedCluster, { name }, call)))
  const unknown = clusters.filter((_, at) => found[at] === undefined)
  if (unknown.length > 0) throw new OperationError(clusterNotFound(...unknown))
  const moving = found.flatMap((one) => (one?.metadata.labels?.[CLUSTER_SET_LABEL] === set ? [] : (one ?? [])))
  for (const cluster of moving) await changeLabels(client, ManagedCluster, cluster, { [CLUSTER_SET_LABEL]: set }, call)
  return moving.map(({ metadata }) => metadata.name)
}

/** Binds a cluster set to a namespace, so that its placements can select from it. False if it was bound already. */
export async function bindClusterSet(
  client: KubeClient,
  set: string,
  namespace: string,
  call: CallOptions = {},
): Promise<boolean> {
  await theSet(client, set, call)
  if ((await client.find(Namespace, { name: namespace }, call)) === undefined) {
    throw new OperationError(`namespace ${namespace} does not exist on the hub: create it first`)
  }
  if ((await client.find(ManagedClusterSetBinding, { namespace, name: set }, call)) !== undefined) return false
  await client.create(ManagedClusterSetBinding, { metadata: { namespace, name: set }, spec: { clusterSet: set } }, call)
  return true
}

/** Unbinds a cluster set from a namespace. False if it was not bound. */
export async function unbindClusterSet(
  client: KubeClient,
  set: string,
  namespace: string,
  call: CallOptions = {},
): Promise<boolean> {
  const ref = { namespace, name: set }
  if ((await client.find(ManagedClusterSetBinding, ref, call)) === undefined) return false
  await client.ensureDeleted(ManagedClusterSetBinding, ref, call)
  return true
}

/** Deletes a cluster set without clusters. False if it does not exist. */
export async function deleteClusterSet(client: KubeClient, name: string, call: CallOptions = {}): Promise<boolean> {
  if (name === DEFAULT_CLUSTER_SET || name === GLOBAL_CLUSTER_SET) {
    throw new OperationError(`cluster set ${name} belongs to the hub, which would create it again`)
  }
  if ((await client.find(ManagedClusterSet, { name }, call)) === undefined) return false
  const { items } = await client.list(ManagedCluster, { ...call, labelSelector: `${CLUSTER_SET_LABEL}=${name}` })
  if (items.length > 0) {
    const members = items.map(({ metadata }) => metadata.name).join(',')
    throw new OperationError(
      `cluster set ${name} has clusters: move them first, such as with ` +
        `\`orrery clusterset set ${DEFAULT_CLUSTER_SET} --clusters ${members}\``,
    )
  }
  await client.ensureDeleted(ManagedClusterSet, { name }, call)
  return true
}

async function theSet(client: KubeClient, name: string, call: CallOptions): Promise<ManagedClusterSet> {
  const set = await client.find(ManagedClusterSet, { name }, call)
  if (set === undefined) throw new OperationError(clusterSetNotFound(name))
  return set
}
