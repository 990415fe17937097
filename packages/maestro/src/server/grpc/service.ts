import type { PeerCertificate } from 'node:tls'

/** Who calls: what the connection and the metadata of the call say. */
export interface CallContext {
  readonly authorization: string | undefined
  readonly certificate: PeerCertificate | undefined
  /** The connection: calls with the same text came over the same one. */
  readonly connection: string
}

/** The answer to a subscription. */
export interface EventStream {
  /** Sends the header of the response. */
  start(metadata: Readonly<Record<string, string>>): void
  /** Sends one message. False if the client reads more slowly: the callback of `onDrain` follows. */
  write(message: Uint8Array): boolean
  onDrain(resume: () => void): void
  /** The client left, or the connection broke. */
  onClose(close: () => void): void
  end(error: CallError): void
}

/** `io.cloudevents.v1.CloudEventService`, with encoded messages. Both reject with `CallError`. */
export interface CloudEventService {
  publish(message: Buffer, context: CallContext): Promise<void>
  subscribe(message: Buffer, context: CallContext, stream: EventStream): Promise<void>
}

/** What a client of gRPC gets instead of an answer. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly code: number

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
