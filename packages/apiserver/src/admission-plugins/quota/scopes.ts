import type { KubeObject } from '@orrery/kinds'
import type {
  PersistentVolumeClaim,
  PodAffinityTerm,
  PodSpec,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from '@orrery/kinds/core'
import { podAmounts } from '../podresources.js'

/** Returns the scope requirements of a quota. */
export function requirementsOf({
  scopes = [],
  scopeSelector,
}: ResourceQuotaSpec): readonly ScopedResourceSelectorRequirement[] {
  const named = scopes.map((scopeName) => ({ scopeName, operator: 'Exists' as const }))
  return [...named, ...(scopeSelector?.matchExpressions ?? [])]
}

/** Returns whether an object matches all scopes. Only pods and claims can match any. */
export function isInScope(
  requirements: readonly ScopedResourceSelectorRequirement[],
  bucket: string,
  object: KubeObject,
): boolean {
  return requirements.every((requirement) => {
    if (bucket === 'pods') return podMatches(requirement, (object.spec ?? {}) as Partial<PodSpec>)
    return bucket === 'persistentvolumeclaims' && claimMatches(requirement, object as Partial<PersistentVolumeClaim>)
  })
}

function podMatches(requirement: ScopedResourceSelectorRequirement, spec: Partial<PodSpec>): boolean {
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

/** While the class of a volume changes, its claim counts for the old and the new one. */
function claimMatches(
  requirement: ScopedResourceSelectorRequirement,
  { spec, status }: Partial<PersistentVolumeClaim>,
): boolean {
  if (requirement.scopeName !== 'VolumeAttributesClass') return false
  const classes = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name !== undefined && name !== '')
  if (classes.length === 0) return valueMatches(requirement)
  return classes.some((name) => valueMatches(requirement, name))
}

function valueMatches({ operator, values = [] }: ScopedResourceSelectorRequirement, value = ''): boolean {
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
function isTerminating({ activeDeadlineSeconds = -1 }: Partial<PodSpec>): boolean {
  return activeDeadlineSeconds >= 0
}

function isBestEffort(spec: Partial<PodSpec>): boolean {
  for (const kind of ['requests', 'limits'] as const) {
    const { overhead, ...own } = spec
    const amounts = podAmounts(own, kind)
    if (amounts.has('cpu') || amounts.has('memory')) return false
  }
  return true
}

function affinityTerms({ affinity }: Partial<PodSpec>): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one) => [
    ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
}
