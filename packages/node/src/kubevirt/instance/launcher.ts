import { type JsonObject, Pod } from '@orrery/kinds'
import { findCondition, formatTime } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { UNPAUSED_GATE } from '../names.js'
import { endedPod } from './launcher-pod.js'
import { hasEnded } from './phase.js'

/** Sets the readiness gate of a launcher pod: a paused guest is not ready. */
export async function syncUnpausedGate(
  client: KubeClient,
  pod: Pod,
  isPaused: boolean,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const status = isPaused ? 'False' : 'True'
  if (hasEnded(pod) || findCondition(pod.status?.conditions, UNPAUSED_GATE)?.status === status) return
  const condition: JsonObject = {
    type: UNPAUSED_GATE,
    status,
    reason: isPaused ? 'Paused' : 'NotPaused',
    message: isPaused ? 'the virtual machine is paused' : 'the virtual machine is not paused',
    lastTransitionTime: formatTime(now),
  }
  const { uid } = pod.metadata
  const patch = { metadata: { uid }, status: { conditions: [condition] } }
  await client.patch(Pod, pod.metadata, patch, { subresource: 'status', type: 'strategic', signal })
}

/** Ends the containers of a launcher pod when its guest has ended. The pod stays until the instance is deleted. */
export async function endLauncher(
  client: KubeClient,
  pod: Pod,
  isFailure: boolean,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  if (hasEnded(pod) || pod.metadata.deletionTimestamp !== undefined) return
  const patch = { metadata: { uid: pod.metadata.uid, annotations: endedPod(pod, isFailure, now) } }
  await client.patch(Pod, pod.metadata, patch, { signal })
}
