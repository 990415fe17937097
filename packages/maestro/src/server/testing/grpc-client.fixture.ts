import { Client, credentials, type Metadata } from '@grpc/grpc-js'
import type { CloudEvent } from '../../codec/cloud-event.js'
import { MANIFEST_BUNDLES } from '../../codec/event-type.js'
import { decodeCloudEvent, encodePublishRequest, encodeSubscriptionRequest } from '../../codec/protobuf.js'

const PATH = '/io.cloudevents.v1.CloudEventService'
const asIs = (message: Buffer) => message

export interface TestStream {
  readonly events: CloudEvent[]
  /** The header of the response. */
  readonly header: Promise<Metadata>
  readonly failed: Promise<{ code: number; details: string }>
  /** Resolves with the first event from now on, or already received, that matches. */
  next(matches: (event: CloudEvent) => boolean): Promise<CloudEvent>
  onEvent(received: () => void): void
  pause(): void
  resume(): void
  close(): void
}

/** A client that shows what is on the wire. */
export class TestClient {
  readonly #client: Client

  constructor(port: number) {
    // With a connection of its own, as clients in other processes have.
    const options = { 'grpc.use_local_subchannel_pool': 1 }
    this.#client = new Client(`localhost:${port}`, credentials.createInsecure(), options)
  }

  publish(event: CloudEvent): Promise<void> {
    return this.publishBytes(encodePublishRequest(event))
  }

  publishBytes(message: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(`${PATH}/Publish`, asIs, asIs, message, (error) =>
        error ? reject(error) : resolve(),
      )
    })
  }

  subscribe(request: { source?: string; clusterName?: string; dataType?: string }): TestStream {
    const { source = '', clusterName = '', dataType = MANIFEST_BUNDLES } = request
    const message = encodeSubscriptionRequest({ source, clusterName, dataType })
    const call = this.#client.makeServerStreamRequest(`${PATH}/Subscribe`, asIs, asIs, message)
    const events: CloudEvent[] = []
    const waiting = new Set<() => void>()
    call.on('data', (bytes: Buffer) => {
      events.push(decodeCloudEvent(bytes))
      for (const check of waiting) check()
    })
    const failed = new Promise<{ code: number; details: string }>((resolve) => {
      call.on('error', (error) => resolve(error as unknown as { code: number; details: string }))
    })
    return {
      events,
      header: new Promise((resolve) => call.on('metadata', resolve)),
      failed,
      next: (matches) =>
        new Promise((resolve) => {
          const check = () => {
            const found = events.find(matches)
            if (found === undefined) return
            waiting.delete(check)
            resolve(found)
          }
          waiting.add(check)
          check()
        }),
      onEvent: (received) => {
        waiting.add(received)
        received()
      },
      pause: () => void call.pause(),
      resume: () => void call.resume(),
      close: () => call.cancel(),
    }
  }

  close(): void {
    this.#client.close()
  }
}
