/** The account in whose name a work is applied may not do what the work asks for. */
export class NotAllowedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotAllowedError'
  }
}
