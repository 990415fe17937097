import { type Finding, setConditions } from '@orrery/kinds/values'
import type { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import type { VirtualMachineRequest, VirtualMachineRequestStatus } from '../../kinds/virtual-machine-request.js'
import type { Refusal } from './admission.js'
import { isInPowerState } from './next-task.js'

/** The status of a request that cannot be fulfilled, until something it depends on changes. */
export function refusedStatus(
  request: VirtualMachineRequest,
  { reason, message }: Refusal,
  now: Date,
): VirtualMachineRequestStatus {
  const { status = {}, metadata } = request
  const findings: Finding[] = [{ type: 'Scheduled', status: 'False', reason, message }, notReady(reason, message)]
  return {
    ...status,
    phase: 'error',
    message,
    observedGeneration: metadata.generation ?? 0,
    conditions: setConditions(status.conditions, findings, now),
  }
}

/** The status of a request whose virtual data center does not exist on its cluster yet. */
export function waitingStatus(
  { status = {} }: VirtualMachineRequest,
  { metadata, status: vdcStatus }: VirtualDataCenter,
  now: Date,
): VirtualMachineRequestStatus {
  const message = `waits for virtual data center ${metadata.name}: ${vdcStatus?.message ?? 'it is being created'}`
  const finding = notReady('VirtualDataCenterNotReady', message)
  return { ...status, phase: 'pending', message, conditions: setConditions(status.conditions, [finding], now) }
}

/** The status of a request that has its place. The place does not change any more. */
export function scheduledStatus(
  { status = {}, metadata }: VirtualMachineRequest,
  vdc: VirtualDataCenter,
  now: Date,
): VirtualMachineRequestStatus {
  const { zone = '', workloadNamespace = '' } = vdc.status ?? {}
  const message = `has a place in virtual data center ${vdc.metadata.name}`
  const finding: Finding = { type: 'Scheduled', status: 'True', reason: 'Scheduled', message }
  return {
    ...status,
    phase: 'pending',
    message: `is being created in zone ${zone}`,
    vdc: vdc.metadata.name,
    zone,
    namespace: workloadNamespace,
    vmName: metadata.name,
    conditions: setConditions(status.conditions, [finding], now),
  }
}

/** The status of a request with nothing to do: whether it is in the requested power state. */
export function readyStatus(request: VirtualMachineRequest, now: Date): VirtualMachineRequestStatus {
  const { status = {}, spec } = request
  const state = `is ${status.phase ?? 'pending'}`
  const reason = status.phase === 'error' ? 'Failed' : 'InProgress'
  const finding: Finding = isInPowerState(request)
    ? { type: 'Ready', status: 'True', reason: spec.powerState, message: state }
    : notReady(reason, status.message ?? `${state}, ${spec.powerState} is requested`)
  return { ...status, conditions: setConditions(status.conditions, [finding], now) }
}

export function notReady(reason: string, message: string): Finding {
  return { type: 'Ready', status: 'False', reason, message }
}
