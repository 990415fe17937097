import type { TestContext } from 'node:test'
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js'
import type { CloudEvent } from '../codec/cloud-event.js'
import { decodePublishRequest, decodeSubscriptionRequest, encodeCloudEvent, heartbeat } from '../codec/protobuf.js'

type Stream = ServerWritableStream<Buffer, Buffer>

const SERVICE = '/io.cloudevents.v1.CloudEventService'
const passBytes = (bytes: Buffer) => bytes

export interface BrokerOptions {
  readonly credentials?: ServerCredentials
  readonly port?: number
  /** Called for each published event. Throws to refuse it, with the code of gRPC in `code` if it is not FAILED_PRECONDITION. */
  readonly onPublish?: (event: CloudEvent, metadata: Metadata) => void | Promise<void>
}

/** A gRPC server that speaks the wire protocol and has no rules. */
export class Broker {
  readonly port: number
  readonly published: CloudEvent[] = []
  readonly streams = new Set<Stream>()
  readonly #server: Server
  #rejection: { readonly code: number; readonly details: string } | undefined

  private constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
  }

  get url(): string {
    return `localhost:${this.port}`
  }

  static async start(t: TestContext, options: BrokerOptions = {}): Promise<Broker> {
    const server = new Server()
    const unary = { requestStream: false, requestSerialize: passBytes, requestDeserialize: passBytes }
    const bytes = { ...unary, responseSerialize: passBytes, responseDeserialize: passBytes }
    server.addService(
      {
        Publish: { path: `${SERVICE}/Publish`, responseStream: false, ...bytes },
        Subscribe: { path: `${SERVICE}/Subscribe`, responseStream: true, ...bytes },
      },
      {
        Publish: async (
          call: ServerUnaryCall<Buffer, Buffer>,
          reply: (error: object | null, bytes?: Buffer) => void,
        ) => {
          const event = decodePublishRequest(call.request)
          try {
            await options.onPublish?.(event, call.metadata)
          } catch (error) {
            const { code = status.FAILED_PRECONDITION, message } = error as Error & { code?: number }
            reply({ code, details: message })
            return
          }
          broker.published.push(event)
          reply(null, Buffer.alloc(0))
        },
        Subscribe: (stream: Stream) => {
          if (broker.#rejection !== undefined) {
            stream.emit('error', broker.#rejection)
            return
          }
          const metadata = new Metadata()
          metadata.set('subscription-id', decodeSubscriptionRequest(stream.request).clusterName)
          stream.sendMetadata(metadata)
          broker.streams.add(stream)
          stream.on('cancelled', () => broker.streams.delete(stream))
          stream.on('error', () => broker.streams.delete(stream))
        },
      },
    )
    const port = await new Promise<number>((resolve, reject) => {
      const { credentials = ServerCredentials.createInsecure(), port: wanted = 0 } = options
      server.bindAsync(`localhost:${wanted}`, credentials, (error, bound) => (error ? reject(error) : resolve(bound)))
    })
    const broker = new Broker(server, port)
    t.after(() => broker.stop())
    return broker
  }

  rejectSubscriptions(code: number, details: string): void {
    this.#rejection = { code, details }
  }

  /** Sends an event to all subscribers. */
  send(event: CloudEvent): void {
    for (const stream of this.streams) stream.write(encodeCloudEvent(event))
  }

  sendHeartbeat(): void {
    for (const stream of this.streams) stream.write(heartbeat())
  }

  sendBytes(bytes: Buffer): void {
    for (const stream of this.streams) stream.write(bytes)
  }

  stop(): void {
    this.#server.forceShutdown()
    this.streams.clear()
  }
}
