import type { EventRecorder } from '@orrery/kube/events'
import type { AgentState } from '../../wire/index.js'
import type { Finished } from '../operations/processor.js'
import type { AuditLog } from './audit-log.js'

/** Who asked for an operation, if the hub says so. */
function requesterOf({ operation }: Finished): string | undefined {
  const { requested_by } = operation.payload
  return typeof requested_by === 'string' ? requested_by : undefined
}

/** Records the end of an operation as an event of its machine or namespace, and in the audit log. */
export function recordOperation(finished: Finished, events: EventRecorder, audit: AuditLog): void {
  const { operation, type, target, result } = finished
  const isCompleted = result.status === 'completed'
  const requestedBy = requesterOf(finished)
  audit.record({
    kind: 'operation',
    action: type,
    target: target.namespace === undefined ? target.name : `${target.namespace}/${target.name}`,
    outcome: result.status,
    operationId: operation.id,
    ...(requestedBy !== undefined && { requestedBy }),
    ...(result.error !== undefined && { message: result.error }),
  })
  if (target.kind === '' || type.includes('_')) return
  events.record({
    regarding: {
      apiVersion: target.kind === 'Namespace' ? 'v1' : 'kubevirt.io/v1',
      kind: target.kind,
      name: target.name,
      ...(target.namespace !== undefined && { namespace: target.namespace }),
    },
    type: isCompleted ? 'Normal' : 'Warning',
    reason: `${type}${isCompleted ? 'Completed' : 'Failed'}`,
    action: type,
    note: isCompleted
      ? `operation ${operation.id} completed`
      : `operation ${operation.id} failed: ${result.error ?? ''}`,
  })
}

/** Records a state of the agent as an event of its namespace. */
export function recordState(
  state: AgentState,
  before: AgentState,
  namespace: string,
  events: EventRecorder,
  audit: AuditLog,
): void {
  audit.record({ kind: 'agent-state', action: 'transition', target: state, outcome: `${before} to ${state}` })
  events.record({
    regarding: { apiVersion: 'v1', kind: 'Namespace', name: namespace, namespace },
    type: state === 'Healthy' || state === 'Connecting' ? 'Normal' : 'Warning',
    reason: `Agent${state}`,
    action: 'AgentStateChange',
    note: `the OVIM agent is ${state}, it was ${before}`,
  })
}
