import type { KubeObject, QuantityString } from '@orrery/kinds'
import type { Container, LimitRangeItem, LimitRangeSpec, PersistentVolumeClaimSpec, PodSpec } from '@orrery/kinds/core'
import { compareQuantity, formatQuantity, type Quantity, quantityOf, quantityToNumber } from '@orrery/kinds/values'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/types.js'
import type { Store } from '../store/types.js'
import { type Amounts, amountsOf, podAmounts } from './podresources.js'
import { refused } from './refused.js'

const BUCKET = 'limitranges'
const ANNOTATION = 'kubernetes.io/limit-ranger'
const ZERO = quantityOf(0)

type Quantities = Readonly<Record<string, QuantityString>>

/**
 * Sets the default amounts of the namespace's LimitRanges for containers without them, and enforces the bounds
 * (LimitRanger).
 */
export function limitRanger(store: Store): AdmissionPlugin {
  const itemsIn = (namespace: string): (readonly LimitRangeItem[])[] =>
    store
      .page({ bucket: BUCKET, namespace })
      .entries.map((entry) => (entry.object().spec as LimitRangeSpec | undefined)?.limits ?? [])
  const isLimited = (request: AdmissionRequest) => concerns(request) && store.count(BUCKET, request.namespace) > 0
  return {
    name: 'LimitRanger',
    mutate(request) {
      if (!isLimited(request) || request.resource.storage.bucket !== 'pods' || request.object === undefined) return
      for (const items of itemsIn(request.namespace)) fillIn(request.object, items)
    },
    validate(request) {
      if (!isLimited(request) || request.object === undefined) return
      for (const items of itemsIn(request.namespace)) {
        const problems = problemsOf(request.resource.storage.bucket, request.object, items)
        if (problems.length > 0)
          throw refused(request, problems.length === 1 ? `${problems[0]}` : `[${problems.join(', ')}]`)
      }
    },
  }
}

function concerns({ operation, subresource, resource, oldObject }: AdmissionRequest): boolean {
  const { bucket } = resource.storage
  if (bucket !== 'pods' && bucket !== 'persistentvolumeclaims') return false
  if (oldObject?.metadata.deletionTimestamp !== undefined) return false
  if (operation === 'CREATE') return subresource === ''
  if (operation !== 'UPDATE') return false
  // Only a resize changes the resources of containers.
  return bucket === 'pods' ? subresource === 'resize' : subresource === ''
}

function fillIn(pod: KubeObject, items: readonly LimitRangeItem[]): void {
  const requests: Record<string, QuantityString> = {}
  const limits: Record<string, QuantityString> = {}
  for (const item of items) {
    if (item.type !== 'Container') continue
    Object.assign(requests, item.defaultRequest)
    Object.assign(limits, item.default)
  }
  const notes: string[] = []
  const spec = { ...((pod.spec ?? {}) as Partial<PodSpec>) }
  const fill = (list: readonly Container[] | undefined, what: string) =>
    list?.map((container) => filled(container, requests, limits, what, notes))
  const containers = fill(spec.containers, 'container')
  const initContainers = fill(spec.initContainers, 'init container')
  if (notes.length === 0) return
  if (containers !== undefined) spec.containers = containers
  if (initContainers !== undefined) spec.initContainers = initContainers
  pod.spec = spec
  const note = `LimitRanger plugin set: ${notes.join('; ')}`
  pod.metadata = { ...pod.metadata, annotations: { ...pod.metadata.annotations, [ANNOTATION]: note } }
}

function filled(
  container: Container,
  requests: Quantities,
  limits: Quantities,
  what: string,
  notes: string[],
): Container {
  const { resources = {} } = container
  const missing = (wanted: Quantities, given: Quantities = {}) =>
    Object.keys(wanted)
      .filter((name) => !Object.hasOwn(given, name))
      .sort()
  const missingRequests = missing(requests, resources.requests)
  const missingLimits = missing(limits, resources.limits)
  if (missingRequests.length > 0) notes.push(`${missingRequests.join(', ')} request for ${what} ${container.name}`)
  if (missingLimits.length > 0) notes.push(`${missingLimits.join(', ')} limit for ${what} ${container.name}`)
  if (missingRequests.length + missingLimits.length === 0) return container
  return {
    ...container,
    resources: {
      ...resources,
      ...(missingLimits.length > 0 && { limits: { ...limits, ...resources.limits } }),
      ...(missingRequests.length > 0 && { requests: { ...requests, ...resources.requests } }),
    },
  }
}

function problemsOf(bucket: string, object: KubeObject, items: readonly LimitRangeItem[]): string[] {
  return items.flatMap((item) => {
    if (bucket === 'persistentvolumeclaims')
      return item.type === 'PersistentVolumeClaim' ? claimProblems(item, object) : []
    const spec = (object.spec ?? {}) as Partial<PodSpec>
    if (item.type === 'Container') {
      return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
        amountProblems(item, amountsOf(resources?.requests), amountsOf(resources?.limits)),
      )
    }
    if (item.type !== 'Pod') return []
    return amountProblems(item, podAmounts(spec, 'requests'), podAmounts(spec, 'limits'))
  })
}

function claimProblems(item: LimitRangeItem, claim: KubeObject): string[] {
  const { resources } = (claim.spec ?? {}) as PersistentVolumeClaimSpec
  const requests = amountsOf(resources?.requests)
  return [
    ...each(item.min, (name, min) => minProblem(item.type, name, min, requests, new Map())),
    ...each(item.max, (name, max) => {
      const bound = `maximum ${name} usage per ${item.type} is ${formatQuantity(max)}`
      const request = requests.get(name)
      if (request === undefined) return `${bound}.  No request is specified`
      return exceeds(request, max) ? `${bound}, but request is ${formatQuantity(request)}` : undefined
    }),
  ]
}

function amountProblems(item: LimitRangeItem, requests: Amounts, limits: Amounts): string[] {
  return [
    ...each(item.min, (name, min) => minProblem(item.type, name, min, requests, limits)),
    ...each(item.max, (name, max) => maxProblem(item.type, name, max, requests, limits)),
    ...each(item.maxLimitRequestRatio, (name, ratio) => ratioProblem(item.type, name, ratio, requests, limits)),
  ]
}

function each(
  bounds: Quantities | undefined,
  problem: (name: string, bound: Quantity) => string | undefined,
): string[] {
  return [...amountsOf(bounds)].flatMap(([name, bound]) => problem(name, bound) ?? [])
}

function minProblem(type: string, name: string, min: Quantity, requests: Amounts, limits: Amounts): string | undefined {
  const bound = `minimum ${name} usage per ${type} is ${formatQuantity(min)}`
  const request = requests.get(name)
  const limit = limits.get(name)
  if (request === undefined) return `${bound}.  No request is specified`
  if (exceeds(min, request)) return `${bound}, but request is ${formatQuantity(request)}`
  return limit !== undefined && exceeds(min, limit) ? `${bound}, but limit is ${formatQuantity(limit)}` : undefined
}

function maxProblem(type: string, name: string, max: Quantity, requests: Amounts, limits: Amounts): string | undefined {
  const bound = `maximum ${name} usage per ${type} is ${formatQuantity(max)}`
  const request = requests.get(name)
  const limit = limits.get(name)
  if (limit === undefined) return `${bound}.  No limit is specified`
  if (exceeds(limit, max)) return `${bound}, but limit is ${formatQuantity(limit)}`
  return request !== undefined && exceeds(request, max)
    ? `${bound}, but request is ${formatQuantity(request)}`
    : undefined
}

function ratioProblem(
  type: string,
  name: string,
  max: Quantity,
  requests: Amounts,
  limits: Amounts,
): string | undefined {
  const bound = `${name} max limit to request ratio per ${type} is ${formatQuantity(max)}`
  const request = requests.get(name) ?? ZERO
  const limit = limits.get(name) ?? ZERO
  if (!exceeds(request, ZERO)) return `${bound}, but no request is specified or request is 0`
  if (!exceeds(limit, ZERO)) return `${bound}, but no limit is specified or limit is 0`
  const ratio = quantityToNumber(limit) / quantityToNumber(request)
  return ratio > quantityToNumber(max) ? `${bound}, but provided ratio is ${ratio.toFixed(6)}` : undefined
}

function exceeds(a: Quantity, b: Quantity): boolean {
  return compareQuantity(a, b) > 0
}
