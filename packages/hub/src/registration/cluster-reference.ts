import type { ManagedCluster } from '@orrery/api'
import type { ObjectReference } from '@orrery/kinds'

/** The reference to a cluster for an event in the namespace of the cluster, which its users may read. */
export function clusterReference({ apiVersion, kind, metadata: { name, uid } }: ManagedCluster): ObjectReference {
  return { apiVersion, kind, namespace: name, name, uid }
}
