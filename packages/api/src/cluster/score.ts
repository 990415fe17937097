import { findCondition } from '@orrery/kinds/values'
import type { ManagedClusterScore } from './managed-cluster-score.js'

/** Condition of a ManagedClusterScore, and its only reason: a calculator has computed the score. */
export const SCORE_UPDATED = 'ManagedClusterScoreUpdated'

/**
 * Annotation of a ManagedClusterScore, a number of seconds: how long a score is valid after its `lastUpdateTime`. Specific
 * to Orrery. Defaults to five minutes.
 */
export const SCORE_VALIDITY_ANNOTATION = 'cluster.orrery.dev/score-validity-seconds'

/** How long a score is valid without SCORE_VALIDITY_ANNOTATION. */
export const DEFAULT_SCORE_VALIDITY_SECONDS = 300

/** The names of the calculators that Orrery has. */
export const ScoreCalculator = {
  /** The share of the allocatable CPU that pods have not requested, in percent. */
  ResourceRatioCPU: 'ResourceRatioCPU',
  /** The share of the allocatable memory that pods have not requested, in percent. */
  ResourceRatioMemory: 'ResourceRatioMemory',
  /** The allocatable CPU in millicores. */
  ResourceAllocatableCPU: 'ResourceAllocatableCPU',
  /** The allocatable memory in bytes. */
  ResourceAllocatableMemory: 'ResourceAllocatableMemory',
  /** The health of the cluster as the hub sees it, from 0 to 100. */
  ClusterHealth: 'ClusterHealth',
  /** The share of the nodes that are ready, in percent. */
  NodeHealth: 'NodeHealth',
} as const
export type ScoreCalculator = (typeof ScoreCalculator)[keyof typeof ScoreCalculator]

/** The name of the ManagedClusterScore of a cluster and a calculator: `cluster1-resourceratiocpu`. */
export function scoreObjectName(cluster: string, calculator: string): string {
  return `${cluster}-${calculator.toLowerCase()}`
}

/** The calculator in the name of a ManagedClusterScore, in lower case; undefined if the name has another form. */
export function calculatorOf({ metadata: { namespace = '', name } }: Pick<ManagedClusterScore, 'metadata'>) {
  return name.startsWith(`${namespace}-`) && name.length > namespace.length + 1
    ? name.slice(namespace.length + 1)
    : undefined
}

/** When a score expires. Undefined if no calculator has computed it. */
export function scoreValidUntil({ metadata, status }: ManagedClusterScore): Date | undefined {
  const updated = Date.parse(findCondition(status?.conditions, SCORE_UPDATED)?.lastUpdateTime ?? '')
  if (Number.isNaN(updated)) return undefined
  const seconds = Number(metadata.annotations?.[SCORE_VALIDITY_ANNOTATION])
  const isValid = seconds > 0 && seconds <= MAX_VALIDITY_SECONDS
  return new Date(updated + 1_000 * (isValid ? seconds : DEFAULT_SCORE_VALIDITY_SECONDS))
}

/** A year. Longer validities are typing errors. */
const MAX_VALIDITY_SECONDS = 31_536_000
