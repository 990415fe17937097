import { Pod, type PodCondition, type PodPhase } from '@orrery/kinds'
import { formatTime, isNotFound, removeCondition } from '@orrery/kinds/values'
import { type KubeClient, writeStatus } from '@orrery/kube'

/** What is to be said about a pod that something else than its owner takes away. */
export interface Disruption {
  /** Why. */
  readonly cause?: { readonly reason: 'DeletionByTaintManager' | 'DeletionByPodGC'; readonly message: string }
  /** The phase it ends in, when nobody else can say. */
  readonly phase?: PodPhase
}

const TARGET = 'DisruptionTarget'

interface Removal {
  readonly now: Date
  readonly signal: AbortSignal
  /** Default: what the pod asks for. */
  readonly gracePeriodSeconds?: number
}

/** Says in a pod's status what becomes of it, and deletes it. Content when it is gone already. */
export async function disrupt(client: KubeClient, pod: Pod, disruption: Disruption, removal: Removal): Promise<void> {
  const { now, signal, ...options } = removal
  const { cause, phase } = disruption
  const { namespace, name, uid } = pod.metadata
  const conditions: PodCondition[] =
    cause === undefined ? [] : [{ type: TARGET, status: 'True', ...cause, lastTransitionTime: formatTime(now) }]
  try {
    await writeStatus(
      client,
      Pod,
      pod,
      ({ status }) => ({
        ...status,
        ...(phase !== undefined && { phase }),
        conditions: [...removeCondition(status?.conditions, TARGET), ...conditions],
      }),
      { signal },
    )
    await client.delete(Pod, { namespace, name }, { ...options, preconditions: { uid }, signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
