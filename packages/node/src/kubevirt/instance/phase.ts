import type { Pod } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import type { DataVolume } from '../kinds/data-volume.js'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { MachineLook } from '../machine/machine.js'

export type InstancePhase = 'Pending' | 'Scheduling' | 'Scheduled' | 'Running' | 'Succeeded' | 'Failed'

export interface PhaseFacts {
  /** The launcher pod. */
  readonly pod: Pod | undefined
  readonly dataVolumes: readonly DataVolume[]
  /** The state of the machine, once it has started. */
  readonly look: MachineLook | undefined
}

/**
 * Returns the phase of an instance:
 *
 *   Pending    → Scheduling  its pod exists
 *              → Failed      a DataVolume failed, or it is deleted
 *   Scheduling → Scheduled   its pod is ready
 *              → Failed      its pod has ended or is gone
 *   Scheduled  → Running     the guest runs
 *   Scheduled, Running → Succeeded   the guest has shut down
 *                      → Failed      it crashed or was killed, or its pod is gone
 */
export function phaseOf(instance: VirtualMachineInstance, { pod, dataVolumes, look }: PhaseFacts): InstancePhase {
  const phase = (instance.status?.phase ?? 'Pending') as InstancePhase
  const isDeleted = instance.metadata.deletionTimestamp !== undefined
  switch (phase) {
    case 'Scheduling':
      if (pod === undefined || isEnding(pod)) return 'Failed'
      return !isDeleted && isConditionTrue(pod.status?.conditions, 'Ready') ? 'Scheduled' : 'Scheduling'
    case 'Scheduled':
    case 'Running':
      if (look?.exit !== undefined) return look.exit.reason === 'shutdown' ? 'Succeeded' : 'Failed'
      if (pod === undefined || hasEnded(pod)) return 'Failed'
      return look === undefined || look.state === 'starting' ? phase : 'Running'
    case 'Succeeded':
    case 'Failed':
      return phase
    default:
      if (pod !== undefined) return 'Scheduling'
      return isDeleted || dataVolumes.some(({ status }) => status?.phase === 'Failed') ? 'Failed' : 'Pending'
  }
}

export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

export function isEnding(pod: Pod): boolean {
  return hasEnded(pod) || pod.metadata.deletionTimestamp !== undefined
}
