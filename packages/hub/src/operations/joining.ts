import { clusterStateOf, ManagedCluster } from '@orrery/api'
import type { KubeClient } from '@orrery/kube'
import { awaiting, watchOne } from '@orrery/kube/informer'

/** The stage of a cluster that joins a hub. `unknown`: the hub has no ManagedCluster of that name. */
export type JoinStage = 'unknown' | 'waiting' | 'accepted' | 'joined'

/** How to wait for a cluster to join. */
export interface JoinWait {
  /** Called with the first stage, and with each later one. */
  readonly onStage: (stage: JoinStage) => void
  readonly signal: AbortSignal
}

/** Resolves when a cluster has joined. Bootstrap credentials have the permissions for this. */
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
  const { isAccepted, joined } = clusterStateOf(cluster)
  if (!isAccepted) return 'waiting'
  return joined === 'True' ? 'joined' : 'accepted'
}
