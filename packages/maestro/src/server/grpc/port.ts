import { isIPv6 } from 'node:net'
import type { PeerCertificate } from 'node:tls'
import { Metadata, Server, type ServerUnaryCall, type ServerWritableStream, type sendUnaryData } from '@grpc/grpc-js'
import { GrpcCode } from '../errors.js'
import type { TlsSource } from '../serving/tls-files.js'
import { serverCredentials } from './credentials.js'
import { type CallContext, CallError, type CloudEventService, type EventStream, MAX_MESSAGE_BYTES } from './service.js'

export interface GrpcPortOptions {
  readonly service: CloudEventService
  /** Default `localhost`. */
  readonly host?: string
  /** Default: a free one. */
  readonly port?: number
  /** Default: no TLS. */
  readonly tls?: TlsSource
}

export interface GrpcPort {
  readonly port: number
  /** Answers running calls within ten seconds, then closes. */
  close(): Promise<void>
}

const PATH = '/io.cloudevents.v1.CloudEventService'
const GRACE_MS = 10_000
const EMPTY = Buffer.alloc(0)
const asIs = (message: Buffer) => message

const OPTIONS = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
}

export async function openGrpcPort({ service, host = 'localhost', port = 0, tls }: GrpcPortOptions): Promise<GrpcPort> {
  const server = new Server(OPTIONS)
  const method = (name: string, responseStream: boolean) => ({
    path: `${PATH}/${name}`,
    requestStream: false,
    responseStream,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  })
  server.addService(
    { Publish: method('Publish', false), Subscribe: method('Subscribe', true) },
    {
      Publish(call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) {
        service.publish(call.request, contextOf(call)).then(
          () => answer(null, EMPTY),
          (error) => answer(statusOf(error)),
        )
      },
      Subscribe(call: ServerWritableStream<Buffer, Buffer>) {
        const stream = streamOf(call)
        service.subscribe(call.request, contextOf(call), stream).catch((error) => stream.end(error as CallError))
      },
    },
  )
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(addressOf(host, port), serverCredentials(tls), (error, number) =>
      error ? reject(new Error(`cannot listen on ${host} port ${port}: ${error.message}`)) : resolve(number),
    )
  })
  return {
    port: bound,
    close: () =>
      new Promise((resolve) => {
        const forced = setTimeout(() => server.forceShutdown(), GRACE_MS)
        server.tryShutdown(() => {
          clearTimeout(forced)
          resolve()
        })
      }),
  }
}

function addressOf(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
}

function contextOf(call: ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>): CallContext {
  const [authorization] = call.metadata.get('authorization')
  return {
    authorization: authorization === undefined ? undefined : String(authorization),
    certificate: call.getAuthContext().sslPeerCertificate as PeerCertificate | undefined,
  }
}

function statusOf(error: unknown): { code: number; details: string } {
  if (error instanceof CallError) return { code: error.code, details: error.message }
  return { code: GrpcCode.internal, details: 'internal error' }
}

function streamOf(call: ServerWritableStream<Buffer, Buffer>): EventStream {
  return {
    start(values) {
      const metadata = new Metadata()
      for (const [key, value] of Object.entries(values)) metadata.set(key, value)
      call.sendMetadata(metadata)
    },
    write: (message) => call.write(message as Buffer),
    onDrain: (resume) => call.on('drain', resume),
    onClose: (close) => {
      call.on('cancelled', close)
      call.on('close', close)
    },
    end: (error) => call.emit('error', statusOf(error)),
  }
}
