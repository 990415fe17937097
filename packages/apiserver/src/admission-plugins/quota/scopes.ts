import type { KubeObject } from '@orrery/kinds'
import { type PodSpec, podAmounts } from '../podresources.js'

export interface ScopeRequirement {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

export interface ScopedSpec {
  readonly scopes?: readonly string[]
  readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] }
}

/** Returns the scope requirements of a quota. */
export function requirementsOf({ scopes = [], scopeSelector }: ScopedSpec): readonly ScopeRequirement[] {
  const named = scopes.map((scopeName) => ({ scopeName, operator: 'Exists' }))
  return [...named, ...(scopeSelector?.matchExpressions ?? [])]
}

/** Returns whether an object matches all scopes. Only pods and claims can match any. */
export function isInScope(requirements: readonly ScopeRequirement[], bucket: string, object: KubeObject): boolean {
  return requirements.every((requirement) => {
    if (bucket === 'pods') return podMatches(requirement, (object.spec ?? {}) as ScopedPodSpec)
    return bucket === 'persistentvolumeclaims' && claimMatches(requirement, object as ScopedClaim)
  })
}

interface ScopedPodSpec extends PodSpec {
  readonly activeDeadlineSeconds?: number
  readonly priorityClassName?: string
  readonly affinity?: { readonly podAffinity?: PodAffinity; readonly podAntiAffinity?: PodAffinity }
}

interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly AffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly { readonly podAffinityTerm: AffinityTerm }[]
}

interface AffinityTerm {
  readonly namespaces?: readonly string[]
  readonly namespaceSelector?: object
}

function podMatches(requirement: ScopeRequirement, spec: ScopedPodSpec): boolean {
  switch (requirement.scopeName) {
    case 'Terminating':
      return isTerminating(spec)
    case 'NotTerminating':
      return !isTerminating(spec)
    case 'BestEffort':
      return isBestEffort(spec)
    case 'NotBestEffort':
      return !isBestEffort(spec)
    case 'PriorityClass':
      return valueMatches(requirement, spec.priorityClassName)
    case 'CrossNamespacePodAffinity':
      return affinityTerms(spec).some(
        ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
      )
    default:
      return false
  }
}

interface ScopedClaim {
  readonly spec?: { readonly volumeAttributesClassName?: string }
  readonly status?: {
    readonly currentVolumeAttributesClassName?: string
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string }
  }
}

/** While the class of a volume changes, its claim counts for the old and the new one. */
function claimMatches(requirement: ScopeRequirement, { spec, status }: ScopedClaim): boolean {
  if (requirement.scopeName !== 'VolumeAttributesClass') return false
  const classes = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name !== undefined && name !== '')
  if (classes.length === 0) return valueMatches(requirement)
  return classes.some((name) => valueMatches(requirement, name))
}

function valueMatches({ operator, values = [] }: ScopeRequirement, value = ''): boolean {
  switch (operator) {
    case 'Exists':
      return value !== ''
    case 'DoesNotExist':
      return value === ''
    case 'In':
      return values.includes(value)
    case 'NotIn':
      return !values.includes(value)
    default:
      return false
  }
}

/** Returns whether a pod has an active deadline. */
function isTerminating({ activeDeadlineSeconds = -1 }: ScopedPodSpec): boolean {
  return activeDeadlineSeconds >= 0
}

function isBestEffort(spec: PodSpec): boolean {
  for (const kind of ['requests', 'limits'] as const) {
    const { overhead, ...own } = spec
    const amounts = podAmounts(own, kind)
    if (amounts.has('cpu') || amounts.has('memory')) return false
  }
  return true
}

function affinityTerms({ affinity }: ScopedPodSpec): AffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one) => [
    ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
}
