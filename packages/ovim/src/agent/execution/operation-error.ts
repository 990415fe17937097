/** Reasons for a failed operation, for programs. */
export type OperationReason =
  | 'InvalidPayload'
  | 'UnsupportedType'
  | 'NotFound'
  | 'Conflict'
  | 'QuotaExceeded'
  | 'TemplateNotFound'
  | 'TemplateIncompatible'
  | 'Forbidden'
  | 'FeatureDisabled'
  | 'NotRunning'
  | 'DeadlineExceeded'
  | 'Failed'

/** An operation that failed for a reason that a repetition would not change. The message is for people. */
export class OperationError extends Error {
  override readonly name = 'OperationError'
  readonly reason: OperationReason

  constructor(reason: OperationReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.reason = reason
  }
}
