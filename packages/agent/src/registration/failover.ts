import type { ManagedCluster } from '@orrery/api'
import { type ControllerSpec, type Informer, requeueAt } from '@orrery/kube'
import { always } from './wakes.js'

export interface FailoverContext {
  readonly clusterName: string
  readonly clusters: Informer<ManagedCluster>
  /** When the hub last heard of the agent. */
  readonly renewedAt: () => Date | undefined
  /** Since when the agent tries. */
  readonly startedAt: Date
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
      const heard = renewedAt()
      // A cluster that was never let in may still be.
      if (heard !== undefined && clusters.get(ref)?.spec?.hubAcceptsClient !== true) {
        return onLost('the hub no longer accepts the cluster')
      }
      const due = new Date((heard ?? startedAt).getTime() + hubTimeout)
      if (clock.now() < due) return requeueAt(due)
      return onLost('the hub has not heard of this agent for too long')
    },
  }
}
