import { Buffer } from 'node:buffer'
import type { Logger } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import mqtt, { type IConnackPacket, type IPublishPacket, type MqttClient } from 'mqtt'
import type { CloudEvent } from '../codec/cloud-event.js'
import { decodeMqtt, encodeMqtt } from '../codec/mqtt-message.js'
import type { Channel, ChannelSubscription, PublishOptions, Subscription, SubscriptionHandlers } from './channel.js'
import { watchRotation } from './connection-watch.js'
import { type ClientCredentials, loadCredentials } from './credentials.js'
import { repeat } from './reconnect.js'
import { Slots } from './slots.js'
import type { TopicRules } from './topics.js'

export type QualityOfService = 0 | 1 | 2

export interface MqttChannelOptions {
  /** The broker, as `host:port`. */
  readonly brokerHost: string
  /** Identifies the client to the broker, which accepts one connection for each. */
  readonly clientId: string
  readonly topics: TopicRules
  /** A CA or a client certificate turns on TLS. */
  readonly credentials?: ClientCredentials
  readonly username?: string
  readonly password?: string
  /** In seconds. Default 60. */
  readonly keepAliveSeconds?: number
  /** Default 60 seconds. */
  readonly dialMilliseconds?: number
  /** Default 1, so that the broker acknowledges every event. */
  readonly publishQos?: QualityOfService
  /** Default 1. */
  readonly subscribeQos?: QualityOfService
  /** How often files with certificates are read. Default 10 seconds. */
  readonly rotationMilliseconds?: number
  readonly clock?: Clock
  readonly log?: Logger
  readonly random?: () => number
}

/** The packets that a client may send without an acknowledgement, if the broker names no limit. */
const MAX_IN_FLIGHT = 65_535

/** Events over an MQTT 5 broker. Connected while there is a subscription, of which there is one. */
export class MqttChannel implements Channel {
  readonly #options: MqttChannelOptions
  readonly #clock: Clock
  readonly #log: Logger
  readonly #closing = new AbortController()
  #running: Promise<void> | undefined
  #connection: { readonly client: MqttClient; readonly slots: Slots } | undefined

  constructor(options: MqttChannelOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#log = options.log ?? silentLogger
  }

  async publish(event: CloudEvent, { signal }: PublishOptions = {}): Promise<void> {
    signal?.throwIfAborted()
    const { userProperties, contentType, payload } = encodeMqtt(event)
    const connection = this.#connection
    if (connection === undefined) throw new Error(`not connected to the MQTT broker ${this.#options.brokerHost}`)
    const { client, slots } = connection
    await slots.run(signal, async () => {
      const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
      await client.publishAsync(this.#options.topics.topicOf(event), bytes, {
        qos: this.#options.publishQos ?? 1,
        properties: { userProperties: { ...userProperties }, ...(contentType !== undefined && { contentType }) },
      })
    })
  }

  subscribe(_: ChannelSubscription, handlers: SubscriptionHandlers): Subscription {
    if (this.#running !== undefined) throw new Error('the MQTT channel has a subscription already')
    const stop = new AbortController()
    const signal = AbortSignal.any([stop.signal, this.#closing.signal])
    const running = repeat({
      clock: this.#clock,
      random: this.#options.random ?? Math.random,
      signal,
      attempt: () => this.#receive(handlers, signal),
      onFailed: (error) => handlers.onDisconnected(error),
    })
    this.#running = running
    return {
      close: async () => {
        stop.abort()
        await running
        this.#running = undefined
      },
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  /** Connects and receives events until the connection is lost, which rejects. */
  async #receive(handlers: SubscriptionHandlers, signal: AbortSignal): Promise<never> {
    const { credentials = {}, rotationMilliseconds: everyMilliseconds, topics, subscribeQos: qos = 1 } = this.#options
    const loaded = await loadCredentials(credentials)
    signal.throwIfAborted()
    const client = this.#open(loaded)
    const end = () => client.end(true)
    const stream = { cancel: end }
    const rotation = watchRotation({
      stream,
      clock: this.#clock,
      log: this.#log,
      credentials,
      loaded,
      everyMilliseconds,
    })
    signal.addEventListener('abort', end, { once: true })
    try {
      return await new Promise<never>((_, reject) => {
        client.once('connect', (connack) => {
          const slots = new Slots(inFlightLimit(connack))
          client.subscribeAsync([...topics.subscriptions], { qos }).then(() => {
            this.#connection = { client, slots }
            handlers.onConnected()
          }, reject)
        })
        client.on('message', (_, payload, packet) => this.#onMessage(payload, packet, handlers))
        client.once('error', reject)
        client.once('close', () => reject(rotation.reason ?? new Error('the connection to the MQTT broker was lost')))
      })
    } finally {
      this.#connection = undefined
      signal.removeEventListener('abort', end)
      rotation.stop()
      client.on('error', () => undefined)
      await client.endAsync(true)
    }
  }

  #open({ ca, certificate, key }: { ca?: string; certificate?: string; key?: string }): MqttClient {
    const { brokerHost, clientId, username, password } = this.#options
    const isSecure = ca !== undefined || certificate !== undefined
    return mqtt.connect(`${isSecure ? 'mqtts' : 'mqtt'}://${brokerHost}`, {
      protocolVersion: 5,
      clientId,
      clean: true,
      keepalive: this.#options.keepAliveSeconds ?? 60,
      connectTimeout: this.#options.dialMilliseconds ?? 60_000,
      // The channel has a backoff of its own.
      reconnectPeriod: 0,
      queueQoSZero: false,
      resubscribe: false,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(ca !== undefined && { ca }),
      ...(certificate !== undefined && { cert: certificate }),
      ...(key !== undefined && { key }),
    })
  }

  #onMessage(payload: Buffer, { topic, properties = {} }: IPublishPacket, handlers: SubscriptionHandlers): void {
    const { userProperties, contentType } = properties
    try {
      handlers.onEvent(decodeMqtt({ userProperties: { ...userProperties }, contentType, payload }), topic)
    } catch (error) {
      // Whatever others publish must not end the process.
      this.#log.warn('ignored an event that cannot be handled', { topic, error })
    }
  }
}

/** A broker closes the connection of a client that exceeds the limit. */
function inFlightLimit({ properties }: IConnackPacket): number {
  return properties?.receiveMaximum ?? MAX_IN_FLIGHT
}
