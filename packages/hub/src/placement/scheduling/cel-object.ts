import type { ManagedCluster } from '@orrery/api'
import { canonicalQuantity, isQuantity } from '@orrery/kinds/values'

const converted = new WeakMap<ManagedCluster, object>()

/**
 * A cluster as CEL expressions of placements see it: as Open Cluster Management's Go type converts it. Optional fields that are
 * empty or zero are absent, whether or not the stored object has them. Other fields are always present. Quantities have their
 * canonical form. So an expression with `has()`, or one that reads a field that can be absent, selects the same clusters on
 * both hubs.
 */
export function celObject(cluster: ManagedCluster): object {
  let result = converted.get(cluster)
  if (result === undefined) {
    const { apiVersion, kind, metadata } = cluster
    result = { apiVersion, kind, metadata: present(metadata), spec: specOf(cluster), status: statusOf(cluster) }
    converted.set(cluster, result)
  }
  return result
}

function specOf({ spec }: ManagedCluster): object {
  const { hubAcceptsClient = false, managedClusterClientConfigs, leaseDurationSeconds, taints } = spec ?? {}
  return {
    hubAcceptsClient,
    ...present({
      leaseDurationSeconds,
      managedClusterClientConfigs: managedClusterClientConfigs?.map(({ url, ...config }) => ({
        url,
        ...present(config),
      })),
      taints: taints?.map(({ key, value, effect, timeAdded = null }) => ({
        key,
        ...present({ value }),
        effect,
        timeAdded,
      })),
    }),
  }
}

function statusOf({ status }: ManagedCluster): object {
  const { conditions, capacity, allocatable, version, clusterClaims, managedNamespaces } = status ?? {}
  return {
    conditions: conditions?.map(withGeneration) ?? null,
    version: present(version ?? {}),
    ...present({
      capacity: quantities(capacity),
      allocatable: quantities(allocatable),
      clusterClaims: clusterClaims?.map(present),
      managedNamespaces: managedNamespaces?.map(({ name, clusterSet, ...namespace }) => ({
        name,
        clusterSet,
        ...present({ conditions: namespace.conditions?.map(withGeneration) }),
      })),
    }),
  }
}

function withGeneration({ observedGeneration, ...condition }: { readonly observedGeneration?: number }): object {
  return { ...condition, ...present({ observedGeneration }) }
}

type Resources = NonNullable<ManagedCluster['status']>['capacity']

function quantities(resources: Resources): object | undefined {
  if (resources === undefined) return undefined
  return Object.fromEntries(
    Object.entries(resources).map(([name, amount]) => {
      const text = String(amount)
      return [name, isQuantity(text) ? canonicalQuantity(text) : text]
    }),
  )
}

/** The fields that Go would not omit as empty. */
function present(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === undefined || value === null || value === '' || value === 0 || value === false
}
