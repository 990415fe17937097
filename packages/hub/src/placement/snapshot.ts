import {
  AddOnPlacementScore,
  ManagedCluster,
  ManagedClusterScore,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  type Placement,
  PlacementDecision,
  PlacementFailover,
} from '@orrery/api'
import type { ApiObject } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import type { Change } from '@orrery/kube/informer'
import { itemsIfServed } from '../served-items.js'
import { exclusionsAmong } from './failover-exclusions.js'
import type { ClusterFacts, ClusterSets, SchedulingState } from './scheduling/index.js'
import { ClusterSetIndex } from './state/cluster-set-index.js'
import { DecisionLedger } from './state/decision-ledger.js'
import { ScoreIndex } from './state/score-index.js'
import { stateFor } from './state/state-for.js'

/** What scheduling of one placement reads. */
export interface SchedulingSnapshot {
  readonly sets: ClusterSets
  /** The names of all cluster sets of the hub, sorted. */
  readonly existingSets: readonly string[]
  /** The clusters of the used sets, by name. */
  readonly candidates: readonly ClusterFacts[]
  readonly state: SchedulingState
}

/**
 * Reads from the API server what scheduling of a placement needs, once. The placement itself need not exist. Controllers use
 * `SchedulingInputs` instead, which informers keep up to date.
 */
export async function readSnapshot(
  client: KubeClient,
  placement: Pick<Placement, 'metadata' | 'spec' | 'status'>,
  now: Date,
  call: CallOptions = {},
): Promise<SchedulingSnapshot> {
  const { metadata, spec } = placement
  const { namespace } = metadata
  const [bindings, sets, managed, decided, addOnScores, clusterScores, failovers] = await Promise.all([
    client.list(ManagedClusterSetBinding, { ...call, namespace }),
    client.list(ManagedClusterSet, call),
    client.list(ManagedCluster, call),
    client.list(PlacementDecision, call),
    itemsIfServed(client, AddOnPlacementScore, call),
    itemsIfServed(client, ManagedClusterScore, call),
    itemsIfServed(client, PlacementFailover, { ...call, namespace }),
  ])
  const clusters = new ClusterSetIndex()
  for (const set of sets.items) clusters.setChanged(added(set))
  for (const binding of bindings.items) clusters.bindingChanged(added(binding))
  for (const cluster of managed.items) clusters.clusterChanged(added(cluster))
  const decisions = new DecisionLedger()
  for (const decision of decided.items) decisions.changed(added(decision))
  const scores = new ScoreIndex()
  for (const score of addOnScores) scores.addOnScoreChanged(added(score), now)
  for (const score of clusterScores) scores.clusterScoreChanged(added(score), now)
  const used = clusters.setsFor(namespace, spec.clusterSets)
  const sources = { decisions, scores, ...exclusionsAmong(failovers, metadata) }
  return {
    sets: used,
    existingSets: sets.items.map((set) => set.metadata.name).sort(),
    candidates: clusters.candidates(used.used),
    state: stateFor(placement, sources, now),
  }
}

function added<T extends ApiObject>(after: T): Change<T> {
  return { type: 'added', before: undefined, after, initial: true }
}
