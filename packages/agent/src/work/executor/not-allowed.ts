/** The executor of a work lacks a permission that the work needs. */
export class NotAllowedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotAllowedError'
  }
}
