import type { ManagedCluster } from '@orrery/api'
import type { Predicate } from '@orrery/kube/controller'

/** Whether the hub accepts a cluster. The agents of others have no permissions on the hub, and get no certificates. */
export function isAccepted(cluster: ManagedCluster | undefined): boolean {
  return cluster?.spec?.hubAcceptsClient === true
}

/** A cluster is accepted or denied. */
export const acceptanceChanged: Predicate<ManagedCluster> = ({ before, after }) =>
  isAccepted(before) !== isAccepted(after)
