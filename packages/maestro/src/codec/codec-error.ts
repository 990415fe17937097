/** Bytes or values that are not a valid event. The message is the one of Open Cluster Management where it has one. */
export class CodecError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CodecError'
  }
}
