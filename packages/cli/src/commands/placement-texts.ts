import type { ClusterSelector, PlacementSpec, PrioritizerConfig, SpreadConstraint, Toleration } from '@orrery/api'
import { labelSelectorFrom } from '@orrery/kinds/values'

/** The predicates of a placement, one text for each. */
export function predicateTexts({ predicates = [] }: PlacementSpec): string[] {
  return predicates.map(({ requiredClusterSelector = {} }) => selectorText(requiredClusterSelector))
}

function selectorText({ labelSelector, claimSelector, celSelector }: ClusterSelector): string {
  const parts = [
    ...requirements('labels', labelSelector),
    ...requirements('claims', claimSelector),
    ...(celSelector?.celExpressions ?? []).map((expression) => `CEL ${expression}`),
  ]
  return parts.join(' and ') || 'all clusters'
}

function requirements(what: string, selector: ClusterSelector['labelSelector']): string[] {
  if (selector === undefined) return []
  try {
    const { text } = labelSelectorFrom(selector)
    return text === '' ? [] : [`${what} ${text}`]
  } catch (error) {
    return [`${what} (not valid: ${(error as Error).message})`]
  }
}

/** A prioritizer as `--prioritizers` accepts it. */
export function prioritizerText({ scoreCoordinate, weight }: PrioritizerConfig): string {
  const { type, builtIn, addOn } = scoreCoordinate
  const name = type === 'AddOn' ? `${addOn?.resourceName}:${addOn?.scoreName}` : builtIn
  return `${type}:${name}:${weight}`
}

/** A toleration as `--tolerations` accepts it, with its time limit. */
export function tolerationText({ key = '', operator, value, effect, tolerationSeconds }: Toleration): string {
  const what = key === '' ? 'all taints' : key
  const equal = operator === 'Exists' ? '' : `=${value ?? ''}`
  const limit = tolerationSeconds === undefined ? '' : ` for ${tolerationSeconds}s`
  return `${what}${equal}${effect === undefined ? '' : `:${effect}`}${limit}`
}

/** A spread constraint as `--spread` accepts it. */
export function spreadText({ topologyKeyType, topologyKey, maxSkew, whenUnsatisfiable }: SpreadConstraint): string {
  return `${topologyKeyType}:${topologyKey}:${maxSkew} (${whenUnsatisfiable})`
}
