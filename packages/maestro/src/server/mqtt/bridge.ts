import type { Logger } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import { MetricRegistry } from '@orrery/kube/metrics'
import type { CloudEvent } from '../../codec/cloud-event.js'
import { CodecError } from '../../codec/codec-error.js'
import { MANIFEST_BUNDLES, parseEventType } from '../../codec/event-type.js'
import { Extension, textExtension } from '../../codec/extensions.js'
import { readSpecResync } from '../../codec/resync-events.js'
import { MqttChannel } from '../../transport/mqtt-channel.js'
import { clusterOfTopic, serverTopics } from '../../transport/topics.js'
import { isDeletion, isNewerSpec, type SpecChange, sizeOf, specChangeOf } from '../core/changes.js'
import type { MaestroCore } from '../core/core.js'
import { readStatusReport, specEventOf } from '../core/events.js'
import { Outbox } from '../core/outbox.js'
import { ResyncTurns } from '../core/resync-turns.js'
import { MaestroError } from '../errors.js'
import type { Database } from '../store/database.js'
import { mqttMetrics } from './metrics.js'
import type { MqttBridge, MqttBridgeOptions } from './options.js'
import { statusRequests } from './status-requests.js'
import { Unconfirmed } from './unconfirmed.js'

/** Publications without an acknowledgement. Brokers process them in order. */
const MAX_IN_FLIGHT = 64
const CHUNK = 50

/** Exchanges events between a core and the agents of an MQTT broker. */
export function startMqttBridge(options: MqttBridgeOptions): MqttBridge {
  return new Bridge(options)
}

interface Outgoing extends SpecChange {
  /** Whether it answers a resync request. */
  readonly isResponse: boolean
}

class Bridge implements MqttBridge {
  isConnected = false
  readonly #core: MaestroCore
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Logger
  readonly #channel: MqttChannel
  readonly #outbox: Outbox<Outgoing>
  readonly #unconfirmed: Unconfirmed
  readonly #resyncs = new ResyncTurns()
  readonly #repeatMilliseconds: number
  readonly #metrics: ReturnType<typeof mqttMetrics>
  readonly #stopFollowing: () => void
  #cancelRepeat: () => void
  #inFlight = 0
  #isClosed = false
  /** Statuses were lost because the database was not available. */
  #lacksStatuses = false

  constructor(options: MqttBridgeOptions) {
    const { core, database, config, clientId, repeatAfterSeconds = 60 } = options
    const { clock = systemClock, log = silentLogger } = options
    this.#core = core
    this.#database = database
    this.#clock = clock
    this.#log = log
    this.#metrics = mqttMetrics(options.metrics ?? new MetricRegistry())
    this.#unconfirmed = new Unconfirmed(database, clock, repeatAfterSeconds)
    this.#repeatMilliseconds = repeatAfterSeconds * 1_000
    this.#channel = new MqttChannel({ ...config, clientId, topics: serverTopics(config.topics), clock, log })
    this.#outbox = new Outbox<Outgoing>({
      send: (change) => this.#send(change),
      reload: async (ids) => (await core.bundles.getAll(ids)).map(outgoingOf),
      isDeletion,
      isNewer: isNewerSpec,
      sizeOf: ({ bundle }) => (bundle === undefined ? 200 : sizeOf(bundle)),
      flowOf: ({ bundle }) => bundle?.source ?? '',
      // What is not confirmed is found again.
      onError: (error) => log.warn('specs could not be read', { error }),
    })
    this.#stopFollowing = core.followWrites((change) => this.#push(change))
    this.#cancelRepeat = clock.after(this.#repeatMilliseconds, () => this.#repeat())
    this.#channel.subscribe(
      { dataType: MANIFEST_BUNDLES },
      {
        onEvent: (event, topic = '') => this.#onEvent(event, topic),
        onConnected: () => this.#onConnected(),
        onDisconnected: (error) => {
          this.isConnected = false
          this.#metrics.disconnected()
          log.warn('no connection to the MQTT broker', { broker: config.brokerHost, error })
        },
      },
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRepeat()
    this.#stopFollowing()
    this.#outbox.close()
    await this.#channel.close()
  }

  /** Without a connection nothing is kept: what agents have not confirmed is read when there is one. */
  #push(change: SpecChange, isResponse = false): void {
    if (this.isConnected) this.#outbox.push({ ...change, isResponse })
  }

  #send(change: Outgoing): boolean {
    this.#inFlight++
    this.#publishChange(change)
      .catch((error: unknown) => this.#log.warn('a spec could not be published', { resourceId: change.id, error }))
      .finally(() => {
        this.#inFlight--
        this.#outbox.resume()
      })
    return this.#inFlight < MAX_IN_FLIGHT
  }

  async #publishChange(change: Outgoing): Promise<void> {
    await this.#publish(specEventOf(change, change.isResponse ? 'resync_response' : undefined, this.#core.sourceId))
  }

  async #publish(event: CloudEvent): Promise<void> {
    try {
      await this.#channel.publish(event)
      this.#metrics.sent(event.type)
    } catch (error) {
      this.#metrics.failed(event.type)
      throw error
    }
  }

  /** Events of both directions may be lost while there is no connection. */
  #onConnected(): void {
    this.#log.info('connected to the MQTT broker')
    this.isConnected = true
    this.#metrics.connected()
    this.#inBackground('specs could not be published again', async () =>
      this.#publishAgain(await this.#unconfirmed.all()),
    )
    this.#inBackground('statuses could not be requested', () => this.#requestStatuses())
  }

  #repeat(): void {
    this.#inBackground('specs could not be published again', async () => {
      try {
        if (!this.isConnected) return
        if (this.#lacksStatuses) await this.#requestStatuses()
        await this.#publishAgain(await this.#unconfirmed.due())
      } finally {
        if (!this.#isClosed) this.#cancelRepeat = this.#clock.after(this.#repeatMilliseconds, () => this.#repeat())
      }
    })
  }

  async #publishAgain(ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ids.length && !this.#isClosed; start += CHUNK) {
      await this.#outbox.room()
      for (const bundle of await this.#core.bundles.getAll(ids.slice(start, start + CHUNK))) {
        this.#push(specChangeOf(bundle))
      }
    }
  }

  async #requestStatuses(): Promise<void> {
    this.#lacksStatuses = false
    for await (const request of statusRequests(this.#database, this.#core.sourceId)) {
      if (!this.isConnected || this.#isClosed) return
      await this.#publish(request)
    }
  }

  #onEvent(event: CloudEvent, topic: string): void {
    this.#metrics.received(event.type)
    const type = parseEventType(event.type)
    if (type?.dataType !== MANIFEST_BUNDLES) return
    try {
      const clusterName = textExtension(event, Extension.ClusterName)
      // Brokers decide who may publish to a topic: an agent cannot act for another cluster.
      if (clusterName !== clusterOfTopic(topic)) {
        throw new CodecError(`the event of cluster ${clusterName} came on the topic ${topic}`)
      }
      if (type.subResource === 'status' && type.action !== 'resync_request') this.#onStatus(event)
      else if (type.subResource === 'spec' && type.action === 'resync_request') this.#answer(clusterName, event)
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      this.#log.warn('ignored an event that is not valid', { type: event.type, source: event.source, error })
    }
  }

  #onStatus(event: CloudEvent): void {
    const report = readStatusReport(event, this.#core.sourceId)
    this.#core.publishStatus(report).catch((error: unknown) => {
      this.#log.warn('a status could not be stored', { resourceId: report.id, error })
      // The agent is asked for it later. A status that is refused would be refused again.
      if (!(error instanceof MaestroError) || error.httpStatus >= 500) this.#lacksStatuses = true
    })
  }

  #answer(clusterName: string, event: CloudEvent): void {
    const versions = readSpecResync(event)
    const answer = async () => {
      for await (const change of this.#core.specsFor(clusterName, versions)) {
        await this.#outbox.room()
        this.#push(change, true)
      }
    }
    this.#inBackground('a resync request could not be answered', () =>
      this.#resyncs.run(clusterName, versions.size, answer),
    )
  }

  #inBackground(problem: string, task: () => Promise<void>): void {
    task().catch((error: unknown) => {
      if (!this.#isClosed) this.#log.warn(problem, { error })
    })
  }
}

function outgoingOf(bundle: Parameters<typeof specChangeOf>[0]): Outgoing {
  return { ...specChangeOf(bundle), isResponse: false }
}
