import { ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { isConditionTrue, type KubeClient } from '@orrery/kube'
import { awaiting } from './awaiting.js'

/** How far a cluster is on its way into a hub. */
export type JoinStage = 'unknown' | 'waiting' | 'accepted' | 'joined'

export interface JoinWait {
  /** Hears of every stage that the cluster gets to, the one it is at to begin with. */
  readonly onStage: (stage: JoinStage) => void
  readonly signal: AbortSignal
}

/** Resolves when a cluster has joined. Bootstrap credentials are enough to see that. */
export async function whenJoined(client: KubeClient, name: string, { onStage, signal }: JoinWait): Promise<void> {
  let last: JoinStage | undefined
  await awaiting(
    client,
    (informers, onChange) => {
      const clusters = informers.of(ManagedCluster, { fieldSelector: `metadata.name=${name}` })
      clusters.subscribe(onChange)
      return () => {
        const stage = stageOf(clusters.get({ name }))
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
