import type { KubeObject } from '@orrery/kinds'
import type { PodSpec, ServiceSpec } from '@orrery/kinds/core'
import { type Quantity, quantityOf } from '@orrery/kinds/values'
import { type Amounts, amountsOf, podAmounts } from '../podresources.js'

const ONE = quantityOf(1)
const STORAGE_CLASS = '.storageclass.storage.k8s.io/'
const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'

/** Returns the usage of an object, by resource names of quotas. */
export function usageOf(bucket: string, object: KubeObject): Amounts {
  const usage = new Map<string, Quantity>(countNamesOf(bucket).map((name) => [name, ONE]))
  switch (bucket) {
    case 'pods':
      addPod(usage, object)
      break
    case 'services':
      addService(usage, (object.spec ?? {}) as ServiceSpec)
      break
    case 'persistentvolumeclaims':
      addClaim(usage, object)
      break
  }
  return usage
}

/** The buckets whose objects use more than their number. */
const MEASURED: ReadonlySet<string> = new Set(['pods', 'services', 'persistentvolumeclaims'])

/** The buckets whose number has a resource name of its own, besides `count/`. */
const NAMED: ReadonlySet<string> = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas'])

/** Returns whether each object of a bucket counts as one and uses nothing else. */
export function isCountedOnly(bucket: string): boolean {
  return !MEASURED.has(bucket)
}

/** Returns the resource names for the number of objects in a bucket, whatever they contain. */
export function countNamesOf(bucket: string): readonly string[] {
  return NAMED.has(bucket) ? [`count/${bucket}`, bucket] : [`count/${bucket}`]
}

/** Returns the bucket of a quota resource. */
export function bucketOfQuotaResource(resource: string): string {
  if (resource.startsWith('count/')) return resource.slice('count/'.length)
  if (NAMED.has(resource) || resource === 'services') return resource
  if (resource.startsWith('services.')) return 'services'
  if (resource === 'persistentvolumeclaims' || resource === 'requests.storage' || resource.includes(STORAGE_CLASS)) {
    return 'persistentvolumeclaims'
  }
  return 'pods'
}

function addPod(usage: Map<string, Quantity>, pod: KubeObject): void {
  const { phase } = (pod.status ?? {}) as { phase?: string }
  // A finished pod is still stored but uses nothing.
  if (phase === 'Succeeded' || phase === 'Failed') return
  usage.set('pods', ONE)
  const spec = (pod.spec ?? {}) as Partial<PodSpec>
  addCompute(usage, podAmounts(spec, 'requests'), podAmounts(spec, 'limits'))
}

const COMPUTE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])

/** Quotas can name requests with and without their prefix; other resources have only requests. */
export function addCompute(usage: Map<string, Quantity>, requests: Amounts, limits: Amounts): void {
  for (const [name, amount] of requests) {
    usage.set(`requests.${name}`, amount)
    if (COMPUTE.has(name) || name.startsWith('hugepages-')) usage.set(name, amount)
  }
  for (const [name, amount] of limits) if (COMPUTE.has(name)) usage.set(`limits.${name}`, amount)
}

function addService(usage: Map<string, Quantity>, spec: ServiceSpec): void {
  const { type, ports = [], allocateLoadBalancerNodePorts = true } = spec
  usage.set('services', ONE)
  const balanced = type === 'LoadBalancer'
  usage.set('services.loadbalancers', quantityOf(balanced ? 1 : 0))
  const given = ports.filter(({ nodePort = 0 }) => nodePort !== 0).length
  const all = type === 'NodePort' || (balanced && allocateLoadBalancerNodePorts)
  usage.set('services.nodeports', quantityOf(all ? ports.length : balanced ? given : 0))
}

function addClaim(usage: Map<string, Quantity>, claim: KubeObject): void {
  const { storageClassName, resources } = (claim.spec ?? {}) as {
    storageClassName?: string
    resources?: { requests?: Record<string, string> }
  }
  const storageClass = claim.metadata.annotations?.[STORAGE_CLASS_ANNOTATION] ?? storageClassName ?? ''
  const storage = amountsOf(resources?.requests).get('storage')
  usage.set('persistentvolumeclaims', ONE)
  if (storage !== undefined) usage.set('requests.storage', storage)
  if (storageClass === '') return
  usage.set(`${storageClass}${STORAGE_CLASS}persistentvolumeclaims`, ONE)
  if (storage !== undefined) usage.set(`${storageClass}${STORAGE_CLASS}requests.storage`, storage)
}
