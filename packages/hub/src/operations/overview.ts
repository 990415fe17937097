import {
  CLUSTER_LEASE,
  CLUSTER_NAME_LABEL,
  CLUSTER_SET_LABEL,
  type ClusterState,
  clusterStateOf,
  ManagedCluster,
  ManagedClusterCondition,
  ManagedClusterReason,
  ManagedClusterSet,
  ManagedClusterSetBinding,
} from '@orrery/api'
import { Lease } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { membershipOf } from '../clustersets/membership.js'
import { remainsOf } from './detachment.js'

/** A cluster and its state on the hub. */
export interface ClusterOverview {
  readonly name: string
  readonly state: ClusterState
  readonly clusterSet: string | undefined
  /** The last renewal of its lease. */
  readonly renewed: string | undefined
  /** What is wrong, and how to fix it; undefined if nothing is. */
  readonly problem: string | undefined
  readonly cluster: ManagedCluster
}

/** All clusters of a hub, by name. */
export async function clusterOverviews(client: KubeClient, call: CallOptions = {}): Promise<ClusterOverview[]> {
  const [clusters, leases] = await Promise.all([
    client.list(ManagedCluster, call),
    client.list(Lease, { ...call, labelSelector: CLUSTER_NAME_LABEL }),
  ])
  const renewals = new Map(
    leases.items
      .filter(({ metadata }) => metadata.name === CLUSTER_LEASE)
      .map(({ metadata, spec }) => [metadata.namespace, spec?.renewTime]),
  )
  return clusters.items.map((cluster) => overviewOf(cluster, renewals.get(cluster.metadata.name))).sort(byName)
}

function overviewOf(cluster: ManagedCluster, renewed: string | undefined): ClusterOverview {
  const { metadata } = cluster
  return {
    name: metadata.name,
    state: clusterStateOf(cluster),
    clusterSet: metadata.labels?.[CLUSTER_SET_LABEL],
    renewed,
    problem: clusterProblem(cluster),
    cluster,
  }
}

/** What is wrong with a cluster, and how to fix it; undefined if nothing is. */
export function clusterProblem(cluster: ManagedCluster): string | undefined {
  const { metadata, status } = cluster
  const accept = `run \`orrery accept --clusters ${metadata.name}\``
  const condition = (type: string) => findCondition(status?.conditions, type)
  const { phase, isDetaching, joined } = clusterStateOf(cluster)
  if (isDetaching) return `is being detached. ${remainsOf(cluster) ?? ''}`.trim()
  if (phase === 'denied') return `is denied: ${accept}`
  if (phase === 'pending') return `is not accepted yet: ${accept}`
  if (phase === 'refused') return condition(ManagedClusterCondition.HubAccepted)?.message
  if (joined !== 'True') {
    return `is accepted, but its agent has not joined yet: if its certificate request is pending, ${accept}; otherwise see the log of the agent`
  }
  const clock = condition(ManagedClusterCondition.ClockSynced)
  if (clock?.status === 'False') return clock.message
  const available = condition(ManagedClusterCondition.Available)
  if (available === undefined || available.status === 'True') return undefined
  if (available.reason !== ManagedClusterReason.AgentStopped) return available.message
  return 'its agent was stopped: start it with `orrery agent`, or `orrery up` for a cluster of a local fleet'
}

/** A cluster set, its clusters, and the namespaces that it is bound to. */
export interface ClusterSetOverview {
  readonly name: string
  readonly clusters: readonly string[]
  readonly namespaces: readonly string[]
  readonly clusterSet: ManagedClusterSet
}

/** All cluster sets of a hub, by name. */
export async function clusterSetOverviews(client: KubeClient, call: CallOptions = {}): Promise<ClusterSetOverview[]> {
  const [sets, clusters, bindings] = await Promise.all([
    client.list(ManagedClusterSet, call),
    client.list(ManagedCluster, call),
    client.list(ManagedClusterSetBinding, call),
  ])
  return sets.items
    .map((clusterSet) => {
      const { name } = clusterSet.metadata
      return {
        name,
        clusters: clusters.items.filter(membershipOf(clusterSet)).map(({ metadata }) => metadata.name),
        namespaces: bindings.items
          .filter(({ spec }) => spec?.clusterSet === name)
          .map(({ metadata }) => metadata.namespace),
        clusterSet,
      }
    })
    .sort(byName)
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}
