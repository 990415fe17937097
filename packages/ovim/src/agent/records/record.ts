import type { OperationResult, VdcDeletionMessage, VdcStatusMessage } from '../../wire/index.js'

/** A message for the hub. */
export type OutboxMessage =
  | { readonly kind: 'result'; readonly body: OperationResult }
  | { readonly kind: 'vdc-status'; readonly body: VdcStatusMessage }
  | { readonly kind: 'vdc-deletion'; readonly body: VdcDeletionMessage }

/**
 * An operation that was executed, and what the hub has to hear about it. It has nothing of the payload, which can hold
 * secrets.
 */
export interface OperationRecord {
  readonly operationId: string
  readonly type: string
  /** `namespace/name` of the machine or data center; empty if there is none. */
  readonly target: string
  readonly finishedAt: string
  readonly messages: readonly OutboxMessage[]
  /** Whether the hub has accepted, or rejected for good, every message. */
  readonly reported: boolean
}
