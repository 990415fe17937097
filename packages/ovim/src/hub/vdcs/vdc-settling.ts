import { type Finding, setConditions } from '@orrery/kinds/values'
import type { Operation } from '../../kinds/operation.js'
import type { VirtualDataCenter, VirtualDataCenterStatus } from '../../kinds/virtual-data-center.js'
import { effectOf, summaryOf } from '../operations/object-operations.js'
import { withFailure, withoutFailure } from '../operations/retry.js'
import { isFinished, phaseOf } from '../queue/operation-state.js'

/** The status of a virtual data center with what became of its last operation. */
export function settledVdcStatus(
  { status = {} }: VirtualDataCenter,
  last: Operation,
  now: Date,
): VirtualDataCenterStatus {
  const before = status.operation
  if (before?.name === last.metadata.name && before.phase === phaseOf(last)) return status
  const summary = summaryOf(last, before)
  if (!isFinished(last)) return { ...status, operation: summary }
  if (phaseOf(last) === 'Completed') {
    const appliedSpec = effectOf(last, 'spec')
    return { ...status, operation: withoutFailure(summary), ...(appliedSpec !== undefined && { appliedSpec }) }
  }
  const phase = last.spec.type === 'VDCDelete' ? 'DeletionFailed' : 'Failed'
  const message = `${last.spec.type} failed: ${last.status?.error ?? 'no reason given'}`
  return {
    ...withPhase(status, phase, message),
    operation: withFailure(summary, now),
    conditions: setConditions(status.conditions, [ready(false, 'OperationFailed', message)], now),
  }
}

export function withPhase(
  status: VirtualDataCenterStatus,
  phase: VirtualDataCenterStatus['phase'],
  message: string,
): VirtualDataCenterStatus {
  return { ...status, ...(phase !== undefined && { phase }), message }
}

export function ready(isReady: boolean, reason: string, message: string): Finding {
  return { type: 'Ready', status: isReady ? 'True' : 'False', reason, message }
}
