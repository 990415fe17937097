import { isObject, setConditions } from '@orrery/kinds/values'
import type { Operation } from '../../kinds/operation.js'
import type { VirtualMachineRequest, VirtualMachineRequestStatus } from '../../kinds/virtual-machine-request.js'
import type { OperationType } from '../../wire/operation-types.js'
import type { VmState } from '../../wire/status-report.js'
import { effectOf, summaryOf } from '../operations/object-operations.js'
import { withFailure, withoutFailure } from '../operations/retry.js'
import { isFinished, phaseOf } from '../queue/operation-state.js'
import { vmStateOf } from '../zones/machine-status.js'
import { notReady } from './machine-conditions.js'
import { phaseAfter } from './next-task.js'

/** Whether the status of a request does not show the state of its last operation yet. */
export function isUnsettled({ status }: VirtualMachineRequest, last: Operation): boolean {
  const before = status?.operation
  return before?.name !== last.metadata.name || before.phase !== phaseOf(last)
}

/** The status of a request with what became of its last operation. */
export function settledStatus(request: VirtualMachineRequest, last: Operation, now: Date): VirtualMachineRequestStatus {
  const { status = {}, spec } = request
  const summary = summaryOf(last, status.operation)
  if (!isFinished(last)) return { ...status, operation: summary }
  const { type } = last.spec
  if (phaseOf(last) !== 'Completed') {
    const message = `${type} failed: ${last.status?.error ?? 'no reason given'}`
    return {
      ...status,
      ...(type === 'VMCreate' && { phase: 'error' as const }),
      message,
      operation: withFailure(summary, now),
      conditions: setConditions(status.conditions, [notReady('OperationFailed', message)], now),
    }
  }
  const { message, reportedAt, ...rest } = status
  const isReported = type !== 'VMDelete' && Date.parse(reportedAt ?? '') >= Date.parse(summary.reportedAt ?? '')
  const phase = isReported ? status.phase : (reportedPhase(last) ?? phaseAfter(type, spec.powerState))
  const appliedSpec = effectOf(last, 'spec')
  const restart = effectOf(last, 'restart')
  return {
    ...rest,
    ...(isReported && message !== undefined && { message }),
    operation: withoutFailure(summary),
    ...(phase !== undefined && { phase }),
    ...(type === 'VMCreate' && { created: true }),
    ...(type === 'VMDelete' && { created: false }),
    ...(appliedSpec !== undefined && { appliedSpec }),
    ...(restart !== undefined && { observedRestart: restart }),
  }
}

/** The states that end an operation. Others in its result are those of the moment, from before it took effect. */
const FINAL: Partial<Record<OperationType, VmState>> = {
  VMStart: 'running',
  VMStop: 'stopped',
  VMPause: 'paused',
  VMUnpause: 'running',
}

/** The state that the result of an operation has, if it can be the one after the operation. */
function reportedPhase({ spec: { type }, status }: Operation): VmState | undefined {
  const { vm } = (status?.result ?? {}) as { vm?: unknown }
  const reported = isObject(vm) ? (vm as { status?: unknown }).status : undefined
  if (typeof reported !== 'string') return undefined
  const state = vmStateOf(reported)
  if (state === 'unknown') return undefined
  if (type === 'VMUpdate') return state
  // A new machine that should run has not started yet.
  if (type === 'VMCreate') return state === 'stopped' ? undefined : state
  return FINAL[type] === state ? state : undefined
}
