import { AddOnPlacementScore, calculatorOf, ManagedCluster, ManagedClusterScore, scoreValidUntil } from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { MANAGED_CLUSTER_SCORE } from '../placement/scheduling/index.js'
import { itemsIfServed } from '../served-items.js'
import { clusterNotFound } from './not-found.js'
import { OperationError } from './operation-error.js'

/** One score of a cluster. */
export interface ScoreOverview {
  readonly cluster: string
  /** Its name for a placement: AddOn:<resourceName>:<scoreName>. */
  readonly coordinate: string
  /** The name of the object that holds it. */
  readonly name: string
  readonly value: number | undefined
  readonly validUntil: string | undefined
  /** The time of the last computation, where it is reported. */
  readonly updated: string | undefined
  readonly object: KubeObject
}

export interface ScoreFilter extends CallOptions {
  /** Default all clusters. */
  readonly clusters?: readonly string[] | undefined
}

/** The scores of clusters, by cluster and coordinate. Throws for clusters that do not exist. */
export async function scoreOverviews(
  client: KubeClient,
  { clusters, ...call }: ScoreFilter = {},
): Promise<ScoreOverview[]> {
  const found = await Promise.all(
    (clusters ?? [undefined]).map(async (namespace) => {
      const lists = await Promise.all([
        itemsIfServed(client, AddOnPlacementScore, { ...call, namespace }),
        itemsIfServed(client, ManagedClusterScore, { ...call, namespace }),
      ])
      const isEmpty = lists.every((items) => items.length === 0)
      if (isEmpty && namespace !== undefined) await requireCluster(client, namespace, call)
      return [...lists[0].flatMap(addOnScores), ...lists[1].map(managedClusterScore)]
    }),
  )
  const key = ({ cluster, coordinate }: ScoreOverview) => `${cluster}/${coordinate}`
  return found.flat().sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

function addOnScores(object: AddOnPlacementScore): ScoreOverview[] {
  const { metadata, status } = object
  return (status?.scores ?? []).map(({ name, value }) => ({
    cluster: metadata.namespace,
    coordinate: `AddOn:${metadata.name}:${name}`,
    name: metadata.name,
    value,
    validUntil: status?.validUntil,
    updated: undefined,
    object,
  }))
}

function managedClusterScore(object: ManagedClusterScore): ScoreOverview {
  const { metadata, status } = object
  const times = (status?.conditions ?? []).map(({ lastUpdateTime }) => lastUpdateTime).sort()
  return {
    cluster: metadata.namespace,
    coordinate: `AddOn:${MANAGED_CLUSTER_SCORE}:${calculatorOf(object) ?? metadata.name}`,
    name: metadata.name,
    value: status?.score,
    validUntil: scoreValidUntil(object)?.toISOString(),
    updated: times.at(-1),
    object,
  }
}

async function requireCluster(client: KubeClient, name: string, call: CallOptions): Promise<void> {
  if ((await client.find(ManagedCluster, { name }, call)) !== undefined) return
  throw new OperationError(clusterNotFound(name))
}
