/** Something that was asked of a hub cannot be done. The message says why, and what to do about it. */
export class OperationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OperationError'
  }
}
