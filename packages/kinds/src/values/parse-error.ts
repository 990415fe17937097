/** Text that is not what it should be: a selector, quantity, duration, time or path. The message is fit for a client. */
export class ParseError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ParseError'
  }
}
