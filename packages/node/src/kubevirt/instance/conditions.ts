import type { Pod } from '@orrery/kinds'
import { type Finding, findCondition, removeCondition, setCondition } from '@orrery/kinds/values'
import { PLAYED_CONDITION } from '../../conditions.js'
import type { InstanceCondition, VirtualMachineInstance } from '../kinds/instance.js'
import { type InstancePhase, isEnding, type PhaseFacts } from './phase.js'

export interface ConditionFacts extends PhaseFacts {
  readonly phase: InstancePhase
  /** Why the instance is not in its desired state. */
  readonly problem: { readonly reason: string; readonly message: string } | undefined
  /** Why no guest runs, if it is played. */
  readonly played: string | undefined
  readonly now: Date
}

/** Why an instance of an embedded cluster cannot be migrated. */
export const NOT_MIGRATABLE = {
  reason: 'NotMigratable',
  message: 'An embedded cluster does not migrate virtual machines',
} as const

const AGENT_CONNECTED = 'AgentConnected'
const PAUSED = 'Paused'

/** Returns the conditions of an instance. Those of others stay. */
export function conditionsOf(instance: VirtualMachineInstance, facts: ConditionFacts): readonly InstanceCondition[] {
  const { now, look, phase } = facts
  const findings: (Finding | { readonly type: string; readonly status: undefined })[] = [
    readyOf(facts),
    scheduledOf(facts),
    synchronizedOf(facts),
    ...dataVolumesReady(instance, facts),
  ]
  if (phase === 'Running') {
    findings.push(
      { type: 'LiveMigratable', status: 'False', ...NOT_MIGRATABLE },
      look?.guest === undefined
        ? absent(AGENT_CONNECTED)
        : { type: AGENT_CONNECTED, status: 'True', reason: 'AgentConnected' },
      look?.state === 'paused'
        ? { type: PAUSED, status: 'True', reason: 'PausedByUser', message: 'VMI was paused by user' }
        : absent(PAUSED),
    )
  } else {
    findings.push(absent(AGENT_CONNECTED), absent(PAUSED))
  }
  if (facts.played !== undefined) {
    findings.push({ type: PLAYED_CONDITION, status: 'True', reason: 'NoMachine', message: facts.played })
  }
  let conditions = instance.status?.conditions ?? []
  for (const finding of findings) {
    conditions =
      finding.status === undefined ? removeCondition(conditions, finding.type) : setCondition(conditions, finding, now)
  }
  return conditions
}

function absent(type: string): { readonly type: string; readonly status: undefined } {
  return { type, status: undefined }
}

function readyOf({ pod, phase }: ConditionFacts): Finding {
  const unready = (reason: string, message: string): Finding => ({ type: 'Ready', status: 'False', reason, message })
  if (pod === undefined) return unready('PodNotExists', 'virt-launcher pod has not yet been scheduled')
  if (isEnding(pod)) return unready('PodTerminating', 'virt-launcher pod is terminating')
  if (phase !== 'Running') return unready('GuestNotRunning', 'Guest VM is not reported as running')
  const ready = findCondition(pod.status?.conditions, 'Ready')
  if (ready === undefined) return unready('PodConditionMissing', 'virt-launcher pod is missing the Ready condition')
  const { status, reason = '', message = '' } = ready
  return { type: 'Ready', status: status as Finding['status'], reason, message }
}

/** Shows a pod that cannot be scheduled. */
function scheduledOf({ pod, phase, problem }: ConditionFacts): ReturnType<typeof absent> | Finding {
  const type = 'PodScheduled'
  if (problem?.reason === 'FailedPvcNotFound') {
    return { type, status: 'False', reason: 'Unschedulable', message: problem.message }
  }
  const scheduled = findCondition(pod?.status?.conditions, type)
  if (phase !== 'Scheduling' || scheduled?.status !== 'False') return absent(type)
  return { type, status: 'False', reason: scheduled.reason ?? '', message: scheduled.message ?? '' }
}

function synchronizedOf({ pod, phase, problem }: ConditionFacts): ReturnType<typeof absent> | Finding {
  const type = 'Synchronized'
  const found = problem ?? (phase === 'Scheduling' ? imageProblem(pod) : undefined)
  return found === undefined ? absent(type) : { type, status: 'False', ...found }
}

/** Returns why the image of a container, such as a container disk, cannot be pulled. */
function imageProblem(pod: Pod | undefined): { reason: string; message: string } | undefined {
  for (const { state } of pod?.status?.containerStatuses ?? []) {
    const { reason = '', message = '' } = state?.waiting ?? {}
    if (reason === 'ErrImagePull' || reason === 'ImagePullBackOff') return { reason, message }
  }
  return undefined
}

function dataVolumesReady(
  { spec }: VirtualMachineInstance,
  { dataVolumes, phase }: ConditionFacts,
): (ReturnType<typeof absent> | Finding)[] {
  if (spec.volumes?.some(({ dataVolume }) => dataVolume !== undefined) !== true) return []
  const isReady = dataVolumes.every(({ status }) => status?.phase === 'Succeeded')
  const waits = dataVolumes.some(({ status }) => status?.phase === 'WaitForFirstConsumer')
  return [
    {
      type: 'DataVolumesReady',
      status: isReady ? 'True' : 'False',
      reason: isReady ? 'AllDVsReady' : 'NotAllDVsReady',
      message: isReady
        ? 'All of the DataVolumes of the VMI are ready'
        : 'Not all of the DataVolumes of the VMI are ready',
    },
    phase === 'Pending' && waits
      ? { type: 'Provisioning', status: 'True', reason: 'WaitForFirstConsumer' }
      : absent('Provisioning'),
  ]
}
