import {
  AddOnPlacementScore,
  calculatorOf,
  ManagedCluster,
  ManagedClusterScore,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  PLACEMENT_LABEL,
  type Placement,
  PlacementDecision,
  PlacementFailover,
  scoreValidUntil,
} from '@orrery/api'
import { isBeingDeleted, type KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { membershipOf } from '../clustersets/membership.js'
import { itemsIfServed } from '../served-items.js'
import { exclusionsAmong } from './failover/exclusions.js'
import {
  type ClusterFacts,
  type ClusterSets,
  type CurrentDecision,
  clusterSetsOf,
  factsOf,
  MANAGED_CLUSTER_SCORE,
  type ReportedScore,
  type SchedulingState,
} from './scheduling/index.js'

/** What scheduling of one placement reads. */
export interface SchedulingSnapshot {
  readonly sets: ClusterSets
  /** The clusters of the used sets, by name. */
  readonly candidates: readonly ClusterFacts[]
  readonly state: SchedulingState
}

/**
 * Reads from the API server what scheduling of a placement needs, once. The placement itself need not exist. Controllers use
 * informers instead.
 */
export async function readSnapshot(
  client: KubeClient,
  placement: Pick<Placement, 'metadata' | 'spec' | 'status'>,
  now: Date,
  call: CallOptions = {},
): Promise<SchedulingSnapshot> {
  const { namespace, name } = placement.metadata
  const [bindings, sets, clusters, decisions, addOnScores, clusterScores, failovers] = await Promise.all([
    client.list(ManagedClusterSetBinding, { ...call, namespace }),
    client.list(ManagedClusterSet, call),
    client.list(ManagedCluster, call),
    client.list(PlacementDecision, call),
    itemsIfServed(client, AddOnPlacementScore, call),
    itemsIfServed(client, ManagedClusterScore, call),
    itemsIfServed(client, PlacementFailover, { ...call, namespace }),
  ])
  const existing = new Set(sets.items.map(({ metadata }) => metadata.name))
  const bound = bindings.items.map(({ metadata }) => metadata.name).filter((set) => existing.has(set))
  const used = clusterSetsOf(placement.spec.clusterSets, bound)
  const isMember = sets.items.filter(({ metadata }) => used.used.includes(metadata.name)).map(membershipOf)
  const candidates = clusters.items.filter((one) => !isBeingDeleted(one) && isMember.some((contains) => contains(one)))
  const excluded = exclusionsAmong(failovers, { name })
  const { lastScoreUpdateTime } = placement.status ?? {}
  return {
    sets: used,
    candidates: candidates.map(factsOf).sort((a, b) => (a.name < b.name ? -1 : 1)),
    state: {
      ...decisionsOf(decisions.items, namespace, name),
      ...scoresOf(addOnScores, clusterScores),
      ...(excluded.size > 0 && { excluded: (cluster: string) => excluded.get(cluster) }),
      lastScoreUpdateTime: lastScoreUpdateTime === undefined ? undefined : new Date(lastScoreUpdateTime),
      now,
    },
  }
}

function decisionsOf(decisions: readonly PlacementDecision[], namespace: string, name: string) {
  const decided = new Map<string, CurrentDecision>()
  const elsewhere = new Map<string, number>()
  for (const { metadata, status } of decisions) {
    const isOwn = metadata.namespace === namespace && metadata.labels?.[PLACEMENT_LABEL] === name
    for (const { clusterName, reason, score } of status?.decisions ?? []) {
      if (isOwn) decided.set(clusterName, { reason, score })
      else elsewhere.set(clusterName, (elsewhere.get(clusterName) ?? 0) + 1)
    }
  }
  return {
    decided,
    decisionsElsewhere: (cluster: string) => elsewhere.get(cluster) ?? 0,
    mostDecisionsElsewhere: [...elsewhere.values()].reduce((most, count) => Math.max(most, count), 0),
  }
}

function scoresOf(addOnScores: readonly AddOnPlacementScore[], clusterScores: readonly ManagedClusterScore[]) {
  const reported = new Map(addOnScores.map((one) => [`${one.metadata.namespace}/${one.metadata.name}`, one]))
  const calculated = new Map<string, ReportedScore>()
  for (const one of clusterScores) {
    const { score: value } = one.status ?? {}
    const validUntil = scoreValidUntil(one)
    // A score without a time was not computed by a calculator, and would count forever.
    if (value === undefined || validUntil === undefined) continue
    calculated.set(`${one.metadata.namespace}/${calculatorOf(one)}`, { value, validUntil })
  }
  return {
    score(cluster: string, resource: string, name: string): ReportedScore | undefined {
      const { status } = reported.get(`${cluster}/${resource}`) ?? {}
      const found = status?.scores?.findLast((one) => one.name === name)
      if (found === undefined)
        return resource === MANAGED_CLUSTER_SCORE ? calculated.get(`${cluster}/${name}`) : undefined
      const validUntil = status?.validUntil === undefined ? undefined : new Date(status.validUntil)
      return { value: found.value, validUntil }
    },
    scoresOf: (cluster: string, resource: string) =>
      reported.get(`${cluster}/${resource}`)?.status?.scores?.map(({ name, value }) => ({ name, value })),
  }
}
