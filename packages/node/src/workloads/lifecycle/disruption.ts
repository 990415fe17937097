import { formatTime, isNotFound, type KubeClient, removeCondition, writeStatus } from '@orrery/kube'
import { Pod, type PodCondition, type PodPhase } from '@orrery/kube/kinds'

/** Why a pod is taken away by something else than its owner. */
export interface Disruption {
  readonly reason: 'DeletionByTaintManager' | 'DeletionByPodGC'
  readonly message: string
  /** The phase it ends in, when nobody else can say. */
  readonly phase?: PodPhase
}

interface Removal {
  readonly now: Date
  readonly signal: AbortSignal
  /** Default: what the pod asks for. */
  readonly gracePeriodSeconds?: number
}

/** Says in a pod's conditions why it is deleted, and deletes it. Content when it is gone already. */
export async function disrupt(client: KubeClient, pod: Pod, disruption: Disruption, removal: Removal): Promise<void> {
  const { now, signal, ...options } = removal
  const { reason, message, phase } = disruption
  const { namespace, name, uid } = pod.metadata
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason,
    message,
    lastTransitionTime: formatTime(now),
  }
  try {
    await writeStatus(
      client,
      Pod,
      pod,
      ({ status }) => ({
        ...status,
        ...(phase !== undefined && { phase }),
        conditions: [...removeCondition(status?.conditions, condition.type), condition],
      }),
      { signal },
    )
    await client.delete(Pod, { namespace, name }, { ...options, preconditions: { uid }, signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
