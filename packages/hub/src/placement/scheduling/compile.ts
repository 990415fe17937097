import type { GroupClusterSelector, Placement, PlacementSpec, SpreadConstraint } from '@orrery/api'
import { durationToMilliseconds, parseDuration } from '@orrery/kinds/values'
import { type CompiledGroups, compileGroups } from './groups.js'
import { Misconfigured } from './misconfigured.js'
import { type CompiledSelector, compilePredicates } from './predicates.js'
import { compilePrioritizers, type Prioritizer } from './prioritizers.js'
import { compileTolerations, type Tolerations } from './tolerations.js'

/** The spec of a placement, compiled once per generation. */
export interface CompiledPlacement {
  readonly namespace: string
  readonly name: string
  /** Undefined: all clusters that match. */
  readonly numberOfClusters: number | undefined
  readonly predicates: readonly CompiledSelector[]
  readonly tolerations: Tolerations
  readonly prioritizers: readonly Prioritizer[]
  readonly spread: readonly SpreadConstraint[]
  readonly groups: CompiledGroups
  /** An error in the spec that does not keep clusters from being selected. */
  readonly problem: Misconfigured | undefined
  readonly sortBy: 'ClusterName' | 'Score'
  /** Whether decisions show scores. Those of default placements would only show the load of other placements. */
  readonly recordsScores: boolean
  /** The minimum time between two updates of decisions that only change scores, in milliseconds. */
  readonly scoreRateLimit: number
  readonly reads: PlacementReads
}

/** What a placement reads, to know which changes can affect it. */
export interface PlacementReads {
  /** Scores of add-ons and calculators, by resource and name. */
  readonly scores: readonly { readonly resource: string; readonly name: string }[]
  /** Whether CEL expressions read scores: any AddOnPlacementScore can matter. */
  readonly celScores: boolean
  /** Whether CEL expressions read the cluster: any field of it can matter. */
  readonly cel: boolean
  /** Whether decisions of other placements matter. */
  readonly balance: boolean
  readonly cpu: boolean
  readonly memory: boolean
}

const DEFAULT_SCORE_RATE_LIMIT = '1m'

/**
 * Every rule is applied to every cluster, in one turn of the event loop: this many take half a second for 10,000 clusters.
 * Values of a requirement do not count, since they are looked up.
 */
const MAX_RULES = 500

/** The name of a placement is the value of a label of its PlacementDecisions. */
const MAX_NAME_LENGTH = 63

/** Compiles the spec of a placement. Throws `Misconfigured`. */
export function compilePlacement({ metadata, spec }: Placement): CompiledPlacement {
  if (!canHaveDecisions(metadata)) throw nameTooLong(metadata.name)
  const { numberOfClusters, sortBy = 'ClusterName' } = spec
  if (numberOfClusters !== undefined && numberOfClusters < 0) {
    throw new Misconfigured('spec.numberOfClusters', `must not be negative, but is ${numberOfClusters}`)
  }
  limitRules(spec)
  const predicates = compilePredicates(spec.predicates ?? [])
  const tolerations = compileTolerations(spec.tolerations ?? [])
  const prioritizers = compilePrioritizers(spec.prioritizerPolicy)
  const groups = compileGroups(spec.decisionStrategy?.groupStrategy)
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    numberOfClusters,
    predicates,
    tolerations,
    prioritizers,
    spread: spec.spreadPolicy?.spreadConstraints ?? [],
    groups,
    problem: groups.problem,
    sortBy,
    recordsScores: sortBy === 'Score' || (spec.prioritizerPolicy?.configurations ?? []).length > 0,
    scoreRateLimit: rateLimit(spec.scoreRateLimit ?? DEFAULT_SCORE_RATE_LIMIT),
    reads: readsOf(predicates, prioritizers),
  }
}

/** Whether PlacementDecisions can have the name of the placement as a label. */
export function canHaveDecisions({ name }: Placement['metadata']): boolean {
  return name.length <= MAX_NAME_LENGTH
}

function nameTooLong({ length }: string): Misconfigured {
  const why = `and at most ${MAX_NAME_LENGTH} are allowed, because PlacementDecisions have the name as a label`
  return new Misconfigured('metadata.name', `has ${length} characters, ${why}: create it with a shorter name`)
}

function limitRules(spec: PlacementSpec): void {
  const { predicates = [], tolerations = [], prioritizerPolicy, decisionStrategy } = spec
  const groups = decisionStrategy?.groupStrategy?.decisionGroups ?? []
  const ruleCounts = {
    predicates: countRules(predicates.map(({ requiredClusterSelector }) => requiredClusterSelector)),
    tolerations: tolerations.length,
    'prioritizerPolicy.configurations': prioritizerPolicy?.configurations?.length ?? 0,
    'decisionStrategy.groupStrategy.decisionGroups': countRules(
      groups.map(({ groupClusterSelector }) => groupClusterSelector),
    ),
  }
  for (const [field, count] of Object.entries(ruleCounts)) {
    if (count <= MAX_RULES) continue
    throw new Misconfigured(`spec.${field}`, `has ${count} rules, and at most ${MAX_RULES} are allowed: remove some`)
  }
}

/** The number of selectors and their requirements. */
function countRules(selectors: readonly (GroupClusterSelector | undefined)[]): number {
  return selectors.reduce((sum, selector) => {
    const { labelSelector, claimSelector } = selector ?? {}
    const labels = Object.keys(labelSelector?.matchLabels ?? {}).length + (labelSelector?.matchExpressions?.length ?? 0)
    return sum + 1 + labels + (claimSelector?.matchExpressions?.length ?? 0)
  }, 0)
}

function rateLimit(text: string): number {
  try {
    return durationToMilliseconds(parseDuration(text))
  } catch (error) {
    throw new Misconfigured('spec.scoreRateLimit', `${JSON.stringify(text)} is not a duration such as 1m`, {
      cause: error,
    })
  }
}

function readsOf(predicates: readonly CompiledSelector[], prioritizers: readonly Prioritizer[]): PlacementReads {
  const reads = prioritizers.map((prioritizer) => prioritizer.reads)
  const allocatable = (resource: string) =>
    reads.some((read) => read.type === 'Allocatable' && read.resource === resource)
  return {
    scores: reads.flatMap((read) => (read.type === 'Score' ? [{ resource: read.resource, name: read.name }] : [])),
    celScores: predicates.some(({ cel }) => cel?.usesScores === true),
    cel: predicates.some(({ cel }) => cel !== undefined),
    balance: reads.some(({ type }) => type === 'Balance'),
    cpu: allocatable('cpu'),
    memory: allocatable('memory'),
  }
}
