import type { Buffer } from 'node:buffer'
import { Metadata } from '@grpc/grpc-js'
import type { Logger } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import type { CloudEvent } from '../codec/cloud-event.js'
import { decodeCloudEvent, encodePublishRequest, encodeSubscriptionRequest, isHeartbeat } from '../codec/protobuf.js'
import type { Channel, ChannelSubscription, PublishOptions, Subscription, SubscriptionHandlers } from './channel.js'
import { watchHealth, watchRotation } from './connection-watch.js'
import { type ClientCredentials, loadCredentials } from './credentials.js'
import { type GrpcConnection, type KeepAlive, openConnection, parseTarget } from './grpc-connection.js'
import { connectionErrorOf } from './grpc-connection-error.js'
import { repeat } from './reconnect.js'

export interface GrpcChannelOptions {
  /** `host:port`, or a URL with the scheme `https` for TLS with the CAs of the system. */
  readonly url: string
  readonly credentials?: ClientCredentials
  /** Default: pings after 30 seconds without data, and closes the connection without an answer in 10 seconds. */
  readonly keepAlive?: KeepAlive
  /**
   * Subscribes again when the server has sent nothing for as long. Default: 30 seconds, for servers that send
   * heartbeats.
   */
  readonly healthinessMilliseconds?: number
  /** The time limit of a publication. Default 30 seconds. */
  readonly publishMilliseconds?: number
  /** How often files with certificates are read. Default 10 seconds. */
  readonly rotationMilliseconds?: number
  readonly clock?: Clock
  readonly log?: Logger
  readonly random?: () => number
}

const SERVICE = '/io.cloudevents.v1.CloudEventService'
/** Servers send a heartbeat every 10 seconds. */
const HEALTHINESS_MILLISECONDS = 30_000
const PUBLISH_MILLISECONDS = 30_000

const passBytes = (bytes: Buffer) => bytes

/** Events over the gRPC service of Maestro and of Open Cluster Management. */
export class GrpcChannel implements Channel {
  readonly #options: GrpcChannelOptions
  readonly #address: string
  readonly #isSecure: boolean
  readonly #clock: Clock
  readonly #log: Logger
  readonly #closing = new AbortController()
  readonly #subscriptions = new Set<Promise<void>>()
  #connection: Promise<GrpcConnection> | undefined

  constructor(options: GrpcChannelOptions) {
    const { ca, certificate, token } = options.credentials ?? {}
    const { address, isSecure } = parseTarget(options.url)
    this.#isSecure = isSecure || ca !== undefined || certificate !== undefined
    if (token !== undefined && !this.#isSecure) {
      throw new RangeError(
        `a token for ${options.url} would be sent in clear text: use a URL that begins with https://, or set a CA`,
      )
    }
    this.#options = options
    this.#address = address
    this.#clock = options.clock ?? systemClock
    this.#log = options.log ?? silentLogger
  }

  async publish(event: CloudEvent, { signal }: PublishOptions = {}): Promise<void> {
    signal?.throwIfAborted()
    const request = encodePublishRequest(event)
    const { client } = await this.#connected()
    const metadata = await this.#metadata()
    // A signal that was aborted meanwhile does not report it again.
    signal?.throwIfAborted()
    const deadline = Date.now() + (this.#options.publishMilliseconds ?? PUBLISH_MILLISECONDS)
    await new Promise<void>((resolve, reject) => {
      const end = (error: Error | null) => {
        signal?.removeEventListener('abort', cancel)
        if (error === null) resolve()
        else reject(signal?.aborted === true ? signal.reason : connectionErrorOf(error, this.#address))
      }
      const call = client.makeUnaryRequest(
        `${SERVICE}/Publish`,
        passBytes,
        passBytes,
        request,
        metadata,
        { deadline },
        end,
      )
      const cancel = () => call.cancel()
      signal?.addEventListener('abort', cancel, { once: true })
    })
  }

  subscribe(subscription: ChannelSubscription, handlers: SubscriptionHandlers): Subscription {
    const stop = new AbortController()
    const signal = AbortSignal.any([stop.signal, this.#closing.signal])
    const running = repeat({
      clock: this.#clock,
      random: this.#options.random ?? Math.random,
      signal,
      attempt: () => this.#receive(subscription, handlers, signal),
      onFailed: (error) => handlers.onDisconnected(error),
    })
    this.#subscriptions.add(running)
    return {
      close: async () => {
        stop.abort()
        await running
        this.#subscriptions.delete(running)
      },
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#subscriptions)
    const connection = await this.#connection?.catch(() => undefined)
    connection?.client.close()
  }

  /** Receives events until the stream ends, which rejects. */
  async #receive(
    { source = '', clusterName = '', dataType }: ChannelSubscription,
    handlers: SubscriptionHandlers,
    signal: AbortSignal,
  ): Promise<never> {
    const opened = this.#connected()
    const connection = await opened
    const request = encodeSubscriptionRequest({ source, clusterName, dataType })
    const metadata = await this.#metadata()
    signal.throwIfAborted()
    const stream = connection.client.makeServerStreamRequest(
      `${SERVICE}/Subscribe`,
      passBytes,
      passBytes,
      request,
      metadata,
    )
    const cancel = () => stream.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    const { rotationMilliseconds: everyMilliseconds, credentials = {}, healthinessMilliseconds } = this.#options
    const tools = { stream, clock: this.#clock, log: this.#log }
    const rotation = watchRotation({ ...tools, credentials, loaded: connection.credentials, everyMilliseconds })
    const health = watchHealth({
      ...tools,
      limitMilliseconds: healthinessMilliseconds ?? HEALTHINESS_MILLISECONDS,
      // A server can be configured to send no heartbeats.
      expectsHeartbeats: healthinessMilliseconds !== undefined,
    })
    try {
      return await new Promise<never>((_, reject) => {
        // The server has accepted the subscription when it sends the header `subscription-id`.
        stream.once('metadata', () => handlers.onConnected())
        stream.on('data', (bytes: Buffer) => {
          const event = this.#decoded(bytes)
          health.onMessage(event)
          if (event !== undefined && !isHeartbeat(event)) this.#handle(event, handlers)
        })
        stream.once('error', (error) =>
          reject(rotation.reason ?? health.reason ?? connectionErrorOf(error, this.#address)),
        )
        stream.once('end', () => reject(new Error('the server has ended the subscription')))
      })
    } finally {
      signal.removeEventListener('abort', cancel)
      rotation.stop()
      health.stop()
      stream.cancel()
      await this.#discard(opened)
    }
  }

  #decoded(bytes: Buffer): CloudEvent | undefined {
    try {
      return decodeCloudEvent(bytes)
    } catch (error) {
      this.#log.warn('ignored an event that cannot be decoded', { error })
      return undefined
    }
  }

  /** Whatever a server sends must not end the process. */
  #handle(event: CloudEvent, handlers: SubscriptionHandlers): void {
    try {
      handlers.onEvent(event)
    } catch (error) {
      this.#log.warn('ignored an event that cannot be handled', { type: event.type, source: event.source, error })
    }
  }

  /** A token in a file is read for each call, because it may have been replaced. */
  async #metadata(): Promise<Metadata> {
    const metadata = new Metadata()
    const { token } = this.#options.credentials ?? {}
    if (token !== undefined) {
      const loaded = await loadCredentials({ token })
      metadata.set('authorization', `Bearer ${loaded.token}`)
    }
    return metadata
  }

  #connected(): Promise<GrpcConnection> {
    if (this.#closing.signal.aborted) return Promise.reject(new Error('the channel is closed'))
    if (this.#connection !== undefined) return this.#connection
    const { credentials = {}, keepAlive } = this.#options
    const target = { address: this.#address, isSecure: this.#isSecure, ...(keepAlive !== undefined && { keepAlive }) }
    const connection = openConnection(target, credentials)
    this.#connection = connection
    // Credentials that cannot be read now may be there at the next attempt.
    connection.catch(() => this.#forget(connection))
    return connection
  }

  /** The next call makes a new connection, without the delay of one that has failed. */
  async #discard(connection: Promise<GrpcConnection>): Promise<void> {
    this.#forget(connection)
    const { client } = await connection
    client.close()
  }

  #forget(connection: Promise<GrpcConnection>): void {
    if (this.#connection === connection) this.#connection = undefined
  }
}
