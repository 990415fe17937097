import type { ManagedCluster } from '@orrery/api'
import { type Labels, parseQuantity } from '@orrery/kinds/values'

/** What scheduling reads of a ManagedCluster. Built once per version of the cluster and shared by all placements. */
export interface ClusterFacts {
  readonly name: string
  readonly labels: Labels
  readonly claims: Labels
  readonly taints: readonly TaintFacts[]
  /** The allocatable CPU; NaN if the cluster does not report its allocatable and its capacity. */
  readonly cpu: number
  /** The allocatable memory; NaN if the cluster does not report its allocatable and its capacity. */
  readonly memory: number
  /** The object, for CEL expressions. */
  readonly cluster: ManagedCluster
}

export interface TaintFacts {
  readonly key: string
  readonly value: string
  readonly effect: string
  /** In milliseconds. A taint without a time counts as added long ago, so that time-limited tolerations do not match. */
  readonly addedAt: number
}

const noLabels: Labels = Object.freeze({})
const noTaints: readonly TaintFacts[] = Object.freeze([])

/** The facts of a cluster. */
export function factsOf(cluster: ManagedCluster): ClusterFacts {
  const { metadata, spec, status } = cluster
  const taints = spec?.taints ?? []
  return {
    name: metadata.name,
    labels: metadata.labels ?? noLabels,
    claims: claimsOf(cluster),
    taints: taints.length === 0 ? noTaints : taints.map(taintFacts),
    cpu: allocatable(status, 'cpu'),
    memory: allocatable(status, 'memory'),
    cluster,
  }
}

function claimsOf({ status }: ManagedCluster): Labels {
  const claims = status?.clusterClaims ?? []
  if (claims.length === 0) return noLabels
  // Claims can have any name, also `__proto__`.
  const byName: Record<string, string> = Object.create(null)
  for (const { name = '', value = '' } of claims) byName[name] = value
  return byName
}

function taintFacts({ key, value = '', effect, timeAdded }: ManagedClusterTaint): TaintFacts {
  const time = typeof timeAdded === 'string' ? Date.parse(timeAdded) : Number.NaN
  return { key, value, effect, addedAt: Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time }
}

type ManagedClusterTaint = NonNullable<NonNullable<ManagedCluster['spec']>['taints']>[number]

/** A cluster without a capacity has no score for a resource, although only its allocatable counts. */
function allocatable(status: ManagedCluster['status'], resource: string): number {
  const capacity = status?.capacity?.[resource]
  const text = status?.allocatable?.[resource]
  return capacity === undefined || text === undefined ? Number.NaN : approximateNumber(String(text))
}

/** As Go's `Quantity.AsApproximateFloat64`: scores are truncated, so the last bit can decide between two of them. */
function approximateNumber(text: string): number {
  try {
    const { unscaled, scale } = parseQuantity(text)
    return scale === 0 ? Number(unscaled) : Number(unscaled) * Number(`1e${scale}`)
  } catch {
    return Number.NaN
  }
}
