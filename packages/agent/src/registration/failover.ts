import { type ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { isConditionTrue } from '@orrery/kinds/values'
import { always, type ControllerSpec, type Informer, requeueAfter } from '@orrery/kube'

export interface FailoverContext {
  readonly clusterName: string
  readonly clusters: Informer<ManagedCluster>
  /** When the lease was last renewed, in elapsed time, because the system time may be set in between. */
  readonly renewedAt: () => number | undefined
  /** When the agent started to connect, in elapsed time. */
  readonly startedAt: number
  /** How long the hub may be unreachable, in milliseconds. */
  readonly hubTimeout: number
  /** Called with the reason when the agent has to switch to another hub. */
  readonly onLost: (reason: string) => void
}

/** With several hubs: detects that the current hub has denied the cluster or is unreachable. */
export function failover(context: FailoverContext): ControllerSpec {
  const { clusterName, clusters, renewedAt, startedAt, hubTimeout, onLost } = context
  const ref = { name: clusterName }
  return {
    name: 'hub-failover',
    wakes: [always(clusters, ref)],
    async reconcile(_, { clock }) {
      const cluster = clusters.get(ref)
      if (cluster !== undefined && isDenied(cluster)) return onLost('the hub no longer accepts the cluster')
      const rest = (renewedAt() ?? startedAt) + hubTimeout - clock.elapsed()
      if (rest > 0) return requeueAfter(rest)
      return onLost('the lease of this cluster was not renewed for too long')
    },
  }
}

/** A cluster that has never joined may still be accepted. */
function isDenied({ spec, status }: ManagedCluster): boolean {
  return spec?.hubAcceptsClient !== true && isConditionTrue(status?.conditions, ManagedClusterCondition.Joined)
}
