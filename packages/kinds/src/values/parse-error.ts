/** An invalid selector, quantity, duration, time or path. The message can be sent to a client. */
export class ParseError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ParseError'
  }
}
