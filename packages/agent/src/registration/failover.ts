import { type ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { isConditionTrue } from '@orrery/kinds/values'
import { always, type ControllerSpec, type Informer, requeueAfter } from '@orrery/kube'

export interface FailoverContext {
  readonly clusterName: string
  readonly clusters: Informer<ManagedCluster>
  /** When the hub last heard of the agent, in elapsed time: the time of day may be set in between. */
  readonly renewedAt: () => number | undefined
  /** Since when the agent tries, likewise. */
  readonly startedAt: number
  /** How long the hub may be out of reach, in milliseconds. */
  readonly hubTimeout: number
  /** Called when another hub is to be looked for, with the reason. */
  readonly onLost: (reason: string) => void
}

/** With several hubs: notices that the one the agent is on has thrown the cluster out, or is gone. */
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
      return onLost('the hub has not heard of this agent for too long')
    },
  }
}

/** A cluster that has never joined may still be let in. */
function isDenied({ spec, status }: ManagedCluster): boolean {
  return spec?.hubAcceptsClient !== true && isConditionTrue(status?.conditions, ManagedClusterCondition.Joined)
}
