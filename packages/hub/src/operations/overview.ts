import {
  CLUSTER_LEASE,
  CLUSTER_NAME_LABEL,
  CLUSTER_SET_LABEL,
  ManagedCluster,
  ManagedClusterCondition,
  ManagedClusterReason,
  ManagedClusterSet,
  ManagedClusterSetBinding,
} from '@orrery/api'
import { Lease } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import type { CallOptions, KubeClient } from '@orrery/kube'
import { membershipOf } from '../clustersets/membership.js'
import { remainsOf } from './detachment.js'

/** A cluster, as its hub knows it. */
export interface ClusterOverview {
  readonly name: string
  readonly accepted: boolean
  /** True, False or Unknown. */
  readonly joined: string
  readonly available: string
  readonly clusterSet: string | undefined
  /** When it last gave a sign of life. */
  readonly renewed: string | undefined
  /** What stands in the way, and what to do about it; undefined when all is well. */
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
  const { metadata, spec, status } = cluster
  const statusOf = (type: string) => findCondition(status?.conditions, type)?.status ?? 'Unknown'
  return {
    name: metadata.name,
    accepted: spec?.hubAcceptsClient === true,
    joined: statusOf(ManagedClusterCondition.Joined),
    available: statusOf(ManagedClusterCondition.Available),
    clusterSet: metadata.labels?.[CLUSTER_SET_LABEL],
    renewed,
    problem: clusterProblem(cluster),
    cluster,
  }
}

/** What stands in the way of a cluster, and what to do about it; undefined when all is well. */
export function clusterProblem(cluster: ManagedCluster): string | undefined {
  const { metadata, spec, status } = cluster
  const condition = (type: string) => findCondition(status?.conditions, type)
  if (metadata.deletionTimestamp !== undefined) return `is being detached. ${remainsOf(cluster) ?? ''}`.trim()
  const accepted = condition(ManagedClusterCondition.HubAccepted)
  if (spec?.hubAcceptsClient !== true) {
    return accepted?.status === 'False'
      ? `is denied: let it in with \`orrery accept --clusters ${metadata.name}\``
      : `waits to be let in: \`orrery accept --clusters ${metadata.name}\``
  }
  if (accepted?.status === 'False') return accepted.message
  if (condition(ManagedClusterCondition.Joined)?.status !== 'True') {
    return (
      'is let in, but its agent has not joined yet: if its request for a certificate waits, ' +
      `\`orrery accept --clusters ${metadata.name}\` approves it; else see the log of the agent`
    )
  }
  const clock = condition(ManagedClusterCondition.ClockSynced)
  if (clock?.status === 'False') return clock.message
  const available = condition(ManagedClusterCondition.Available)
  if (available === undefined || available.status === 'True') return undefined
  if (available.reason !== ManagedClusterReason.AgentStopped) return available.message
  return 'its agent was stopped: start it again with `orrery agent`, or `orrery up` for a cluster of a local fleet'
}

/** A set of clusters, with those in it and the namespaces that may use it. */
export interface ClusterSetOverview {
  readonly name: string
  readonly clusters: readonly string[]
  readonly namespaces: readonly string[]
  readonly clusterSet: ManagedClusterSet
}

/** All sets of a hub, by name. */
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
