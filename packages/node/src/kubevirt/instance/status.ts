import type { PersistentVolumeClaim } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import type { Informer } from '@orrery/kube'
import type { InstanceStatus, VirtualMachineInstance } from '../kinds/instance.js'
import { LAUNCHER_IMAGE } from '../names.js'
import { type ConditionFacts, conditionsOf } from './conditions.js'
import { interfacesOf } from './network.js'
import { volumeStatusesOf } from './volume-status.js'

export interface InstanceFacts extends ConditionFacts {
  readonly claims: Informer<PersistentVolumeClaim>
}

/** Returns the status of an instance. */
export function instanceStatusOf(instance: VirtualMachineInstance, facts: InstanceFacts): InstanceStatus {
  const { phase, pod, look, now, claims } = facts
  const { fsFreezeStatus: _, ...before } = instance.status ?? {}
  const isChanged = before.phase !== phase
  const transition = { phase, phaseTransitionTimestamp: formatTime(now) }
  const runs = phase === 'Running' && pod !== undefined
  const hasPod = pod !== undefined && phase !== 'Pending'
  const { qosClass } = pod?.status ?? {}
  const exit = look?.exit?.message
  return {
    ...before,
    phase,
    ...(isChanged && { phaseTransitionTimestamps: [...(before.phaseTransitionTimestamps ?? []), transition] }),
    conditions: conditionsOf(instance, facts),
    activePods: pod === undefined ? {} : { [pod.metadata.uid]: pod.spec.nodeName ?? '' },
    ...(hasPod && { launcherContainerImageVersion: LAUNCHER_IMAGE }),
    ...(hasPod && qosClass !== undefined && { qosClass }),
    ...((phase === 'Scheduled' || runs) && pod?.spec.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
    ...(runs && {
      interfaces: interfacesOf(instance, pod, look?.guest !== undefined),
      volumeStatus: volumeStatusesOf(instance, claims),
      machine: { ...instance.spec.domain.machine },
      guestOSInfo: look?.guest?.os ?? {},
      ...(look?.isFrozen === true && { fsFreezeStatus: 'frozen' }),
    }),
    ...(exit !== undefined && { reason: exit }),
  }
}
