import type { SourceOptions, SourceState, WorkSource } from '@orrery/agent'
import { ManifestWork, type ManifestWorkStatus, WorkCondition, WorkReason } from '@orrery/api'
import { jsonEqual, setCondition } from '@orrery/kinds/values'
import { isBeingDeleted, type Logger } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { LocalInformer } from '@orrery/kube/informer'
import { silentLogger } from '@orrery/kube/log'
import type { CloudEvent } from '../codec/cloud-event.js'
import { CodecError } from '../codec/codec-error.js'
import { type EventAction, MANIFEST_BUNDLES, parseEventType } from '../codec/event-type.js'
import { readStatusResync, specResyncRequest } from '../codec/resync-events.js'
import { statusHash } from '../codec/status-hash.js'
import { readSpecEvent, type SpecMessage } from '../codec/work-events.js'
import type { Channel, Subscription } from '../transport/channel.js'
import { Slots } from '../transport/slots.js'
import { LastingSequence } from './lasting-sequence.js'
import { originalSourceOf, problemOf, receivedWork, workName } from './received-work.js'
import { ResyncTimer } from './resync-timer.js'
import { StatusOutbox } from './status-outbox.js'

export interface CloudEventSourceOptions {
  /** The source closes it. */
  readonly channel: Channel
  /** The name of the cluster, which is the name of its consumer. */
  readonly clusterName: string
  /** Identifies the server in names on the cluster; see `hubHashOf`. */
  readonly hubHash: string
  /** Identifies the agent in events. Default `<cluster>-work-agent`. */
  readonly agentId?: string
  readonly clock?: Clock
  readonly log?: Logger
  readonly random?: () => number
  /** Keeps the last sequence ID, for a restart with an earlier clock. Default: it is not kept. */
  readonly state?: SourceState
}

/** The condition that ends the deletion of a work: the server deletes it when it is True. */
const DELETED = { type: 'Deleted', reason: 'ManifestsDeleted' } as const
/** How many statuses are sent at the same time to answer a request for all. */
const RESYNC_CONCURRENCY = 16
/** The works that a server has may take as long to arrive after a connection. */
const SETTLING_MILLISECONDS = 60_000

/**
 * Works that a server sends as CloudEvents over gRPC or MQTT. They stay while there is no connection. After each
 * connection the source requests what has changed.
 */
export class CloudEventSource implements WorkSource {
  readonly clusterName: string
  readonly hubHash: string
  readonly works: LocalInformer<ManifestWork>
  readonly #agentId: string
  readonly #channel: Channel
  readonly #clock: Clock
  readonly #log: Logger
  readonly #subscription: Subscription
  readonly #resyncs: ResyncTimer
  readonly #outbox: StatusOutbox
  /** The versions in the last resync request, by resource ID. */
  #requested: ReadonlyMap<string, number> = new Map()
  /** Works that the server does not know: it expects no status of them. */
  readonly #unknownToServer = new Set<string>()
  /** Works that were sent again while they were being deleted. */
  readonly #sentAgain = new Set<string>()
  /** Statuses that could not be sent, by resource ID. */
  readonly #unsent = new Map<string, ManifestWork>()
  #connectedAt: number | undefined

  constructor(options: CloudEventSourceOptions) {
    const { channel, clusterName, clock = systemClock, log = silentLogger, random = Math.random } = options
    this.clusterName = clusterName
    this.hubHash = options.hubHash
    this.works = new LocalInformer(ManifestWork, { namespace: clusterName, log })
    this.#agentId = options.agentId ?? `${clusterName}-work-agent`
    this.#channel = channel
    this.#clock = clock
    this.#log = log
    const sequence = new LastingSequence({ state: options.state, key: `sequence.${clusterName}`, clock, log })
    this.#outbox = new StatusOutbox(channel, this.#agentId, sequence)
    this.#resyncs = new ResyncTimer({
      clock,
      random,
      resync: () => this.#resync(),
      onError: (error) => log.warn('works could not be requested', { error }),
    })
    this.#subscription = channel.subscribe(
      { clusterName, dataType: MANIFEST_BUNDLES },
      {
        onEvent: (event) => this.#onEvent(event),
        onConnected: () => this.#onConnected(),
        onDisconnected: (error) => this.#onDisconnected(error),
      },
    )
  }

  /** A server keeps a deleted work until the agent has confirmed the deletion. */
  isHeld(): boolean {
    return true
  }

  async hold(work: ManifestWork): Promise<ManifestWork> {
    return work
  }

  async release({ metadata }: ManifestWork, options: SourceOptions = {}): Promise<void> {
    const { uid, name } = metadata
    await this.#outbox.inTurn(uid, async () => {
      const current = this.works.get({ namespace: this.clusterName, name })
      if (current === undefined) return
      if (!this.#unknownToServer.has(uid)) {
        const message = `The manifests are deleted from the cluster ${this.clusterName}`
        const finding = { ...DELETED, status: 'True', message } as const
        const conditions = setCondition(current.status?.conditions, finding, this.#clock.now())
        await this.#outbox.send({ ...current, status: { ...current.status, conditions } }, 'update_request', options)
      }
      this.#unsent.delete(uid)
      this.#unknownToServer.delete(uid)
      this.works.delete(current.metadata)
      if (this.#sentAgain.delete(uid)) this.#resyncs.hurry()
    })
  }

  async writeStatus(
    { metadata }: ManifestWork,
    statusOf: (current: ManifestWork) => ManifestWorkStatus | undefined,
    options: SourceOptions = {},
  ): Promise<void> {
    const { uid, name } = metadata
    await this.#outbox.inTurn(uid, async () => {
      const current = this.works.get({ namespace: this.clusterName, name })
      if (current === undefined) return
      const status = statusOf(current)
      if (status === undefined || jsonEqual(status, current.status)) {
        this.#unsent.delete(uid)
        return
      }
      await this.#report({ ...current, status }, options)
    })
  }

  /** A server that cannot be asked may have any work. */
  async exists(name: string): Promise<boolean> {
    if (this.works.get({ namespace: this.clusterName, name }) !== undefined) return true
    return this.#connectedAt === undefined || this.#clock.elapsed() - this.#connectedAt < SETTLING_MILLISECONDS
  }

  async close(): Promise<void> {
    this.#resyncs.stop()
    await this.#subscription.close()
    await this.#channel.close()
  }

  /** The informer gets the status when the server has it: until then the status has to be sent again. */
  async #report(work: ManifestWork, options: SourceOptions = {}): Promise<void> {
    const { uid, generation } = work.metadata
    this.#unsent.set(uid, work)
    await this.#outbox.send(work, 'update_request', options)
    if (this.#unsent.get(uid) === work) this.#unsent.delete(uid)
    const current = this.works.get(work.metadata)
    // A new spec that came meanwhile gets a status of its own.
    if (current?.metadata.uid !== uid || current.metadata.generation !== generation) return
    this.works.set({ ...current, ...(work.status !== undefined && { status: work.status }) })
  }

  #onConnected(): void {
    this.#log.info('connected to the server', { cluster: this.clusterName })
    this.#connectedAt = this.#clock.elapsed()
    if (!this.works.synced) this.works.replace([])
    this.#resyncs.start()
    for (const [uid, work] of this.#unsent) {
      this.#outbox
        .inTurn(uid, async () => {
          if (this.#unsent.get(uid) === work) await this.#report(work)
        })
        .catch((error: unknown) => this.#log.warn('a status could not be sent', { work: work.metadata.name, error }))
    }
  }

  #onDisconnected(error: Error): void {
    if (this.#connectedAt !== undefined) this.#log.warn('disconnected from the server', { error })
    else this.#log.warn('could not connect to the server', { error })
    this.#connectedAt = undefined
    this.#resyncs.stop()
  }

  async #resync(): Promise<void> {
    const works = this.works.list()
    const versions = new Map(works.map(({ metadata }) => [metadata.uid, metadata.generation ?? 0]))
    this.#requested = versions
    const { clusterName } = this
    await this.#channel.publish(
      specResyncRequest({ agentId: this.#agentId, clusterName, originalSource: '', versions }),
    )
  }

  #onEvent(event: CloudEvent): void {
    const type = parseEventType(event.type)
    if (type === undefined || type.dataType !== MANIFEST_BUNDLES) return
    try {
      if (type.subResource === 'status') {
        if (type.action === 'resync_request') this.#answer(event)
      } else if (type.action !== 'resync_request') {
        this.#onSpec(readSpecEvent(event), type.action)
      }
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      this.#log.warn('ignored an event that is not valid', { type: event.type, source: event.source, error })
    }
  }

  #onSpec(message: SpecMessage, action: EventAction): void {
    if (message.clusterName !== this.clusterName) return
    const { resourceId: id, resourceVersion: version } = message
    const known = this.works.get({ namespace: this.clusterName, name: workName(message) })
    if (known !== undefined && known.metadata.uid !== id) {
      this.#log.warn('ignored a work with the name of another one', { name: known.metadata.name, resourceId: id })
      return
    }
    if (message.deletionTimestamp !== undefined) {
      if (version === undefined) this.#unknownToServer.add(id)
      else this.#unknownToServer.delete(id)
      if (known === undefined || !isBeingDeleted(known)) this.works.set(receivedWork(message, known))
      return
    }
    if (known !== undefined && isBeingDeleted(known)) {
      // The objects are being deleted: the work is requested again when they are gone.
      this.#sentAgain.add(id)
      return
    }
    if (known !== undefined && !this.#isNews(id, version ?? 0, known, action)) return
    const work = receivedWork(message, known)
    const problem = problemOf(work)
    if (problem === undefined) this.works.set(work)
    else this.#refuse(work, problem)
  }

  /**
   * Whether an event is newer than the work that is known: duplicated and reordered events are not. A server that answers
   * the known version with an older one has another work of the same ID: the known one was deleted meanwhile.
   */
  #isNews(id: string, version: number, { metadata }: ManifestWork, action: EventAction): boolean {
    const { generation = 0 } = metadata
    if (version > generation || version === 0) return true
    return action === 'resync_response' && version < generation && this.#requested.get(id) === generation
  }

  /** Reports a work that does not match the schema of its kind, which a server of works does not check. */
  #refuse(work: ManifestWork, problem: string): void {
    const finding = {
      type: WorkCondition.Applied,
      status: 'False',
      reason: WorkReason.ApplyFailed,
      message: `The work is not valid: ${problem}`,
      observedGeneration: work.metadata.generation,
    } as const
    const conditions = setCondition(work.status?.conditions, finding, this.#clock.now())
    const refused = { ...work, status: { ...work.status, conditions } }
    this.#outbox
      .inTurn(work.metadata.uid, () => this.#report(refused))
      .catch((error: unknown) => this.#log.warn('a status could not be sent', { work: work.metadata.name, error }))
  }

  /** Answers a source that requests the statuses it does not have. */
  #answer(event: CloudEvent): void {
    const hashes = readStatusResync(event)
    const slots = new Slots(RESYNC_CONCURRENCY)
    for (const work of this.works.list()) {
      const { uid } = work.metadata
      if (work.status === undefined || originalSourceOf(work) !== event.source) continue
      if (hashes.size > 0 && (!hashes.has(uid) || hashes.get(uid) === statusHash(work.status))) continue
      slots
        .run(undefined, () => this.#outbox.inTurn(uid, () => this.#sendCurrent(work)))
        .catch((error: unknown) => this.#log.warn('a status could not be sent', { work: work.metadata.name, error }))
    }
  }

  async #sendCurrent({ metadata }: ManifestWork): Promise<void> {
    const current = this.works.get(metadata)
    if (current?.status !== undefined) await this.#outbox.send(current, 'resync_response')
  }
}
