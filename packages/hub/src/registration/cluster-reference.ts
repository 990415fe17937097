import type { ManagedCluster } from '@orrery/api'
import type { ObjectReference } from '@orrery/kinds'

/** What an event about a cluster refers to. It goes into the namespace of the cluster, where its people may look. */
export function clusterReference({ apiVersion, kind, metadata: { name, uid } }: ManagedCluster): ObjectReference {
  return { apiVersion, kind, namespace: name, name, uid }
}
