/** An operation that is not possible. The message has the reason and the fix. */
export class OperationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OperationError'
  }
}
