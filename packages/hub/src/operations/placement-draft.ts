import type { NewPlacement, PrioritizerConfig, SelectorRequirement, SpreadConstraint, Toleration } from '@orrery/api'
import { expressionsOf } from './selector-text.js'
import { requireSchedulable } from './valid-placement.js'

/** What a new placement selects. */
export interface PlacementDraft {
  readonly namespace: string
  readonly name: string
  /** Default: all sets that are bound to the namespace. */
  readonly clusterSets?: readonly string[]
  /** The maximum number of clusters. Default: all that match. */
  readonly count?: number
  /** Default: all clusters match. */
  readonly predicates?: readonly PredicateDraft[]
  readonly prioritizers?: readonly PrioritizerConfig[]
  readonly tolerations?: readonly Toleration[]
  readonly spread?: readonly SpreadConstraint[]
}

/** A predicate with selectors as texts, such as `region=eu,tier in (a,b)`. A cluster must match all that are set. */
export interface PredicateDraft {
  readonly labels?: string
  readonly claims?: string
  readonly cel?: readonly string[]
}

/** The Placement of a draft. Throws an `OperationError` if it would be misconfigured. */
export function placementFrom(draft: PlacementDraft): NewPlacement {
  const { namespace, name, clusterSets, count, predicates, prioritizers, tolerations, spread } = draft
  const spec = {
    ...(clusterSets !== undefined && { clusterSets: [...clusterSets] }),
    ...(count !== undefined && { numberOfClusters: count }),
    ...(predicates !== undefined && {
      predicates: predicates.map((predicate) => ({ requiredClusterSelector: selectorFrom(predicate) })),
    }),
    ...(prioritizers !== undefined && {
      prioritizerPolicy: { mode: 'Additive', configurations: [...prioritizers] },
    }),
    ...(tolerations !== undefined && { tolerations: [...tolerations] }),
    ...(spread !== undefined && { spreadPolicy: { spreadConstraints: [...spread] } }),
  }
  const placement: NewPlacement = { metadata: { namespace, name }, spec }
  requireSchedulable(placement, { namespace, name })
  return placement
}

function selectorFrom({ labels, claims, cel }: PredicateDraft) {
  return {
    ...(labels !== undefined && { labelSelector: labelSelectorOf(expressionsOf(labels, 'a placement')) }),
    ...(claims !== undefined && { claimSelector: { matchExpressions: expressionsOf(claims, 'a placement') } }),
    ...(cel !== undefined && { celSelector: { celExpressions: [...cel] } }),
  }
}

/** Single values become `matchLabels`, as in `metav1.ParseToLabelSelector`. A repeated key needs expressions. */
function labelSelectorOf(requirements: readonly SelectorRequirement[]) {
  const keys = requirements.map(({ key }) => key)
  const isLabel = ({ key, operator, values = [] }: SelectorRequirement) =>
    operator === 'In' && values.length === 1 && keys.indexOf(key) === keys.lastIndexOf(key)
  const matchLabels = Object.fromEntries(
    requirements.filter(isLabel).map(({ key, values }) => [key, values?.[0] ?? '']),
  )
  const matchExpressions = requirements.filter((requirement) => !isLabel(requirement))
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  }
}
