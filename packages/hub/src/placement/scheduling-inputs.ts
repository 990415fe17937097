import {
  AddOnPlacementScore,
  ManagedCluster,
  ManagedClusterScore,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  Placement,
  PlacementDecision,
} from '@orrery/api'
import { keyOf } from '@orrery/kinds/values'
import type { Informer, Informers } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { isAffected } from './affected.js'
import { FailoverExclusions } from './failover-exclusions.js'
import type { PlacementRef } from './placement-decisions.js'
import type { ClusterFacts, ClusterSets, SchedulingState } from './scheduling/index.js'
import { type ClusterChange, ClusterSetIndex } from './state/cluster-set-index.js'
import { DecisionLedger } from './state/decision-ledger.js'
import { type KnownPlacement, PlacementIndex } from './state/placement-index.js'
import { type ScoreChange, ScoreIndex } from './state/score-index.js'
import { stateFor } from './state/state-for.js'

/** Called with a placement whose result may have changed. */
export type OnAffected = (placement: PlacementRef) => void

/** The clusters that a placement can select from. */
export interface Candidates {
  readonly sets: ClusterSets
  /** By name. A change makes a new list. */
  readonly clusters: readonly ClusterFacts[]
}

/**
 * What scheduling reads, kept up to date by informers and shared by all placements. It finds the placements that a change can
 * affect, as the event handlers of Open Cluster Management's scheduling controller do, but leaves out those for which nothing
 * that they read has changed.
 */
export class SchedulingInputs {
  readonly clusters = new ClusterSetIndex()
  readonly decisions = new DecisionLedger()
  readonly placements = new PlacementIndex()
  readonly exclusions: FailoverExclusions
  readonly #scores = new ScoreIndex()
  readonly #clock: Clock
  readonly #listeners = new Set<OnAffected>()
  /** All of them must have synced before a placement is scheduled. */
  readonly informers: readonly Informer[]

  static readonly #shared = new WeakMap<Informers, SchedulingInputs>()

  /** One for each hub. */
  static of(informers: Informers, clock: Clock = systemClock): SchedulingInputs {
    let inputs = SchedulingInputs.#shared.get(informers)
    if (inputs === undefined) {
      inputs = new SchedulingInputs(informers, clock)
      SchedulingInputs.#shared.set(informers, inputs)
    }
    return inputs
  }

  private constructor(informers: Informers, clock: Clock) {
    this.#clock = clock
    this.exclusions = new FailoverExclusions(informers)
    const clusters = informers.of(ManagedCluster)
    const sets = informers.of(ManagedClusterSet)
    const bindings = informers.of(ManagedClusterSetBinding)
    const placements = informers.of(Placement)
    const decisions = informers.of(PlacementDecision)
    const addOnScores = informers.of(AddOnPlacementScore)
    const clusterScores = informers.of(ManagedClusterScore)
    clusters.subscribe((change) => this.#clusterChanged(this.clusters.clusterChanged(change)))
    sets.subscribe((change) => {
      if (!this.clusters.setChanged(change)) return
      const { name } = ((change.after ?? change.before) as ManagedClusterSet).metadata
      this.#reportAll(this.#placementsOfSet(name))
    })
    bindings.subscribe((change) => {
      this.clusters.bindingChanged(change)
      if (change.type === 'updated') return
      const { namespace, name } = ((change.after ?? change.before) as ManagedClusterSetBinding).metadata
      this.#reportAll(this.placements.using(namespace, name))
    })
    placements.subscribe((change) => {
      const placement = this.placements.changed(change)
      if (placement !== undefined) this.#report(placement)
    })
    decisions.subscribe((change) => {
      for (const key of this.decisions.changed(change)) {
        const placement = this.placements.get(key)
        if (placement !== undefined) this.#report(placement)
      }
    })
    addOnScores.subscribe((change) => this.#scoreChanged(this.#scores.addOnScoreChanged(change, clock.now())))
    clusterScores.subscribe((change) => this.#scoreChanged(this.#scores.clusterScoreChanged(change, clock.now())))
    this.informers = [clusters, sets, bindings, placements, decisions, addOnScores, clusterScores]
  }

  /** Calls back for each placement that a change can affect. Returns a function that unsubscribes. */
  subscribe(onAffected: OnAffected): () => void {
    this.#listeners.add(onAffected)
    return () => {
      this.#listeners.delete(onAffected)
    }
  }

  candidatesOf({ metadata, spec }: Placement): Candidates {
    const sets = this.clusters.setsFor(metadata.namespace, spec?.clusterSets)
    return { sets, clusters: this.clusters.candidates(sets.used) }
  }

  /** The rest of what a placement reads, now. */
  stateOf(placement: Placement): SchedulingState {
    const sources = {
      decisions: this.decisions,
      scores: this.#scores,
      excluded: this.exclusions.of(placement.metadata),
    }
    return stateFor(placement, sources, this.#clock.now())
  }

  /** Placements that have selected the cluster come first: they may have to move off it. */
  #clusterChanged(change: ClusterChange): void {
    if (this.#listeners.size === 0) return
    const cluster = (change.after ?? change.before)?.name ?? ''
    const others: KnownPlacement[] = []
    for (const set of change.sets) {
      for (const known of this.#placementsOfSet(set)) {
        const readings = {
          state: () => this.stateOf(known.placement),
          candidates: () => this.candidatesOf(known.placement).clusters,
        }
        if (!isAffected(known.compiled, change, readings)) continue
        if (this.decisions.selects(keyOf(known.placement.metadata), cluster)) this.#report(known)
        else others.push(known)
      }
    }
    this.#reportAll(others)
  }

  #scoreChanged({ cluster, resource, names }: ScoreChange): void {
    if (this.#listeners.size === 0 || names.size === 0) return
    const sets = new Set(this.clusters.setsOf(cluster))
    for (const known of this.placements.reading(resource, names)) {
      const { used } = this.clusters.setsFor(known.placement.metadata.namespace, known.placement.spec?.clusterSets)
      if (used.some((set) => sets.has(set))) this.#report(known)
    }
  }

  *#placementsOfSet(set: string): Iterable<KnownPlacement> {
    for (const namespace of this.clusters.namespacesOf(set)) yield* this.placements.using(namespace, set)
  }

  #reportAll(placements: Iterable<KnownPlacement>): void {
    for (const placement of placements) this.#report(placement)
  }

  #report({ placement }: KnownPlacement): void {
    const { namespace, name } = placement.metadata
    for (const listener of this.#listeners) listener({ namespace, name })
  }
}
