import { isIPv6 } from 'node:net'
import { Metadata, Server, type ServerUnaryCall, type ServerWritableStream, type sendUnaryData } from '@grpc/grpc-js'
import { MAX_MESSAGE_BYTES } from '../core/limits.js'
import { GrpcCode } from '../errors.js'
import type { TlsSource } from '../serving/tls-files.js'
import { admission, callContext } from './admission.js'
import { serverCredentials } from './credentials.js'
import { widenWindows } from './flow-control.js'
import { type CallContext, CallError, type CloudEventService, type EventStream } from './service.js'

export interface GrpcPortOptions {
  readonly service: CloudEventService
  /** Default `localhost`. */
  readonly host?: string
  /** Default: a free one. */
  readonly port?: number
  /** Default: no TLS. */
  readonly tls?: TlsSource
  /** The user of a caller, before its message is read. Rejects with `CallError`. Default: every message is read. */
  readonly userOf?: (context: CallContext) => Promise<string>
  /** With TLS and an authority of clients: do not connect clients without its certificate. Default false. */
  readonly isCertificateRequired?: boolean
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
  // Statistics of every connection and call, which nothing here reads.
  'grpc.enable_channelz': 0,
}

export async function openGrpcPort(options: GrpcPortOptions): Promise<GrpcPort> {
  const { service, host = 'localhost', port = 0, tls, isCertificateRequired = false, userOf } = options
  const server = new Server({ ...OPTIONS, ...(userOf && { interceptors: [admission(userOf)] }) })
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
        service.publish(call.request, callContext(call.metadata, call)).then(
          () => answer(null, EMPTY),
          (error) => answer(statusOf(error)),
        )
      },
      Subscribe(call: ServerWritableStream<Buffer, Buffer>) {
        const stream = streamOf(call)
        service
          .subscribe(call.request, callContext(call.metadata, call), stream)
          .catch((error) => stream.end(error as CallError))
      },
    },
  )
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(addressOf(host, port), serverCredentials(tls, isCertificateRequired), (error, number) =>
      error ? reject(new Error(`cannot listen on ${host} port ${port}: ${error.message}`)) : resolve(number),
    )
  })
  widenWindows(server, userOf === undefined)
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

/** Details are a header: clients end the connection if it is longer than 8 to 64 KiB. A message can have what the caller sent. */
const MAX_DETAILS = 2_048

function statusOf(error: unknown): { code: number; details: string } {
  if (error instanceof CallError) {
    const { code, message } = error
    return { code, details: message.length > MAX_DETAILS ? `${message.slice(0, MAX_DETAILS)}…` : message }
  }
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
