import { ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { isConditionTrue } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { awaiting, watchOne } from './awaiting.js'

/** How far a cluster is on its way into a hub. */
export type JoinStage = 'unknown' | 'waiting' | 'accepted' | 'joined'

/** How to wait for a cluster to join. */
export interface JoinWait {
  /** Called with the stage at the start, and with each later one. */
  readonly onStage: (stage: JoinStage) => void
  readonly signal: AbortSignal
}

/** Resolves when a cluster has joined. Bootstrap credentials are enough to see that. */
export async function whenJoined(client: KubeClient, name: string, { onStage, signal }: JoinWait): Promise<void> {
  let last: JoinStage | undefined
  await awaiting(
    client,
    (informers, onChange) => {
      const clusterNow = watchOne(informers, ManagedCluster, { name }, onChange)
      return () => {
        const stage = stageOf(clusterNow())
        if (stage !== last) onStage(stage)
        last = stage
        return stage === 'joined' ? true : undefined
      }
    },
    signal,
  )
}

function stageOf(cluster: ManagedCluster | undefined): JoinStage {
  if (cluster === undefined) return 'unknown'
  if (cluster.spec?.hubAcceptsClient !== true) return 'waiting'
  return isConditionTrue(cluster.status?.conditions, ManagedClusterCondition.Joined) ? 'joined' : 'accepted'
}
