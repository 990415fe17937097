import type { ManagedCluster } from '@orrery/api'

/** What a template knows of the cluster that it is filled in for. */
export interface ClusterValues {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly claims: ReadonlyMap<string, string>
}

/** What a cluster is called, and what it and others say of it. */
export function valuesOf({ metadata, status }: ManagedCluster): ClusterValues {
  return {
    name: metadata.name,
    labels: new Map(Object.entries(metadata.labels ?? {})),
    claims: new Map((status?.clusterClaims ?? []).map(({ name = '', value = '' }) => [name, value])),
  }
}
