import type { ManagedCluster, Placement, PlacementSpec, Taint } from '@orrery/api'
import { type CompiledPlacement, compilePlacement } from './compile.js'
import { type ClusterFacts, factsOf } from './facts.js'
import { type Schedule, schedule } from './schedule.js'
import { type ClusterSets, clusterSetsOf, type NamedScore, type ReportedScore, type SchedulingState } from './state.js'

const NOW = new Date('2030-01-01T12:00:00Z')

/** A moment before or after `NOW`. */
export function at(seconds: number): Date {
  return new Date(NOW.getTime() + seconds * 1000)
}

interface ClusterTraits {
  readonly labels?: Record<string, string>
  readonly claims?: Record<string, string>
  readonly taints?: readonly Taint[]
  /** Allocatable, and capacity too. */
  readonly cpu?: string
  readonly memory?: string
}

export function cluster(name: string, traits: ClusterTraits = {}): ClusterFacts {
  const { labels = {}, claims = {}, taints = [], cpu, memory } = traits
  const resources = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) }
  return factsOf({
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, labels, uid: name, resourceVersion: '1', creationTimestamp: '2029-01-01T00:00:00Z' },
    spec: { hubAcceptsClient: true, taints: [...taints] },
    status: {
      allocatable: resources,
      capacity: resources,
      clusterClaims: Object.entries(claims).map(([claim, value]) => ({ name: claim, value })),
    },
  } as unknown as ManagedCluster)
}

/** A spec as users write it. The API server fills in defaults. */
export type SpecDraft = { readonly [K in keyof PlacementSpec]?: unknown }

function placement(spec: SpecDraft = {}): Placement {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1beta1',
    kind: 'Placement',
    metadata: {
      namespace: 'apps',
      name: 'web',
      uid: '1',
      resourceVersion: '1',
      creationTimestamp: '2029-01-01T00:00:00Z',
    },
    spec,
  } as unknown as Placement
}

export function compiled(spec: SpecDraft = {}): CompiledPlacement {
  return compilePlacement(placement(spec))
}

export const sets: ClusterSets = clusterSetsOf([], ['default'])

interface StateDraft {
  readonly decided?: readonly string[] | ReadonlyMap<string, { reason: string; score?: number }>
  /** Decisions of other placements, by cluster. */
  readonly elsewhere?: Readonly<Record<string, number>>
  /** By `cluster/resource/name`. */
  readonly scores?: Readonly<Record<string, number | ReportedScore>>
  readonly excluded?: Readonly<Record<string, string>>
  readonly returnCondition?: string
  readonly lastScoreUpdateTime?: Date
  readonly now?: Date
}

export function state(draft: StateDraft = {}): SchedulingState {
  const { decided = [], elsewhere = {}, scores = {}, excluded, returnCondition, lastScoreUpdateTime, now = NOW } = draft
  return {
    decided: isNames(decided) ? new Map(decided.map((name) => [name, { reason: '' }])) : decided,
    decisionsElsewhere: (name) => elsewhere[name] ?? 0,
    mostDecisionsElsewhere: Math.max(0, ...Object.values(elsewhere)),
    score: (name, resource, score) => reported(scores[`${name}/${resource}/${score}`]),
    scoresOf: (name, resource) => namedScores(scores, `${name}/${resource}/`),
    ...(excluded !== undefined && { excluded: (name: string) => excluded[name] }),
    ...(returnCondition !== undefined && { returnCondition }),
    lastScoreUpdateTime,
    now,
  }
}

function isNames(decided: NonNullable<StateDraft['decided']>): decided is readonly string[] {
  return Array.isArray(decided)
}

function reported(score: number | ReportedScore | undefined): ReportedScore | undefined {
  return typeof score === 'number' ? { value: score } : score
}

function namedScores(scores: NonNullable<StateDraft['scores']>, prefix: string): NamedScore[] | undefined {
  const found = Object.entries(scores).filter(([key]) => key.startsWith(prefix))
  if (found.length === 0) return undefined
  return found.map(([key, score]) => ({ name: key.slice(prefix.length), value: reported(score)?.value ?? 0 }))
}

/** Schedules a spec. */
export function run(spec: SpecDraft, candidates: readonly ClusterFacts[], current = state()): Schedule {
  return schedule(compiled(spec), sets, candidates, current)
}

/** The names of the selected clusters, best first. */
export function selectedBy(spec: SpecDraft, candidates: readonly ClusterFacts[], current = state()): string[] {
  return run(spec, candidates, current).selected.map(({ cluster: name }) => name)
}
