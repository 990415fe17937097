import type { JsonObject } from '@orrery/kinds'
import { type Fields, present, readMessage } from './fields.js'

/** An operation on its way to an agent. */
export interface WireOperation {
  /** The same each time the operation is delivered: agents recognise a repetition by it. */
  readonly id: string
  /** An `OperationType`, or the name of the public implementation for it. */
  readonly type: string
  readonly payload: JsonObject
  /** When the hub accepted the operation. */
  readonly timestamp: string
  /** How often it was delivered before. */
  readonly retry_count?: number
  /** Counted from the delivery. Absent or 0: the agent's default. */
  readonly timeout_seconds?: number
}

export const RESULT_STATUSES = ['pending', 'running', 'completed', 'failed'] as const

export type ResultStatus = (typeof RESULT_STATUSES)[number]

/** What became of an operation. `pending` and `running` are progress, the others are final. */
export interface OperationResult {
  readonly operation_id: string
  readonly status: ResultStatus
  readonly result?: JsonObject
  readonly error?: string
  readonly timestamp: string
  /** The time of the execution in nanoseconds, as Go writes a duration. */
  readonly duration?: number
}

/** The operations of a poll: a list, or `null` and an empty body for none. */
export function readOperations(value: unknown): WireOperation[] {
  return readMessage('the list of operations', { operations: value ?? null }, (fields) => {
    return fields.list('operations', operation) ?? []
  })
}

export function readOperation(value: unknown): WireOperation {
  return readMessage('the operation', value, operation)
}

function operation(fields: Fields): WireOperation {
  return present({
    id: fields.requiredText('id'),
    type: fields.requiredText('type'),
    payload: fields.json('payload') ?? {},
    timestamp: fields.time('timestamp') ?? '',
    retry_count: fields.count('retry_count'),
    timeout_seconds: fields.count('timeout_seconds'),
  })
}

/** `operationId` is the id of the request's path, which replaces the one of the body. */
export function readOperationResult(value: unknown, operationId?: string): OperationResult {
  return readMessage('the operation result', value, (fields) =>
    present({
      operation_id: operationId ?? fields.requiredText('operation_id'),
      status: resultStatus(fields),
      result: fields.json('result'),
      error: fields.text('error'),
      timestamp: fields.time('timestamp') ?? '',
      duration: fields.count('duration'),
    }),
  )
}

function resultStatus(fields: Fields): ResultStatus {
  const status = fields.choice('status', RESULT_STATUSES)
  if (status === undefined && fields.value('status') === undefined) fields.requiredText('status')
  return status ?? 'failed'
}

/** Nanoseconds of a duration in milliseconds. */
export function nanoseconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds * 1e6))
}

export function isFinal(status: ResultStatus): boolean {
  return status === 'completed' || status === 'failed'
}
