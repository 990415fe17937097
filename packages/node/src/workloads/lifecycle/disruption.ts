import { Pod, type PodCondition, type PodPhase } from '@orrery/kinds'
import { formatTime, isNotFound, removeCondition } from '@orrery/kinds/values'
import { type KubeClient, writeStatus } from '@orrery/kube'

/** The status of a pod that is disrupted by something other than its controller. */
export interface Disruption {
  /** The reason of the `DisruptionTarget` condition. */
  readonly cause?: { readonly reason: 'DeletionByTaintManager' | 'DeletionByPodGC'; readonly message: string }
  /** The final phase, if no kubelet can report it. */
  readonly phase?: PodPhase
}

const TARGET = 'DisruptionTarget'

interface Removal {
  readonly now: Date
  readonly signal: AbortSignal
  /** Defaults to the grace period of the pod. */
  readonly gracePeriodSeconds?: number
}

/** Writes the disruption to the pod status and deletes the pod. Does nothing if the pod no longer exists. */
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
