import type { ManagedCluster } from '@orrery/api'

/** The values of a cluster that templates can use. */
export interface ClusterValues {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly claims: ReadonlyMap<string, string>
}

/** The name, labels and claims of a cluster. */
export function valuesOf({ metadata, status }: ManagedCluster): ClusterValues {
  return {
    name: metadata.name,
    labels: new Map(Object.entries(metadata.labels ?? {})),
    claims: new Map((status?.clusterClaims ?? []).map(({ name = '', value = '' }) => [name, value])),
  }
}
