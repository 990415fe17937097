import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { type Logger, silentLogger } from '@orrery/kube/log'
import { MaestroError } from '../errors.js'
import type { Bundle } from '../store/bundle.js'
import { type Bundles, bundlesIn } from '../store/bundles.js'
import { type Consumers, consumersIn } from '../store/consumers.js'
import type { Database } from '../store/database.js'
import { checkNewId } from './bundle-ids.js'
import { type SpecChange, type StatusChange, specChangeOf, statusChangeOf } from './changes.js'
import { removeConsumer } from './consumer-removal.js'
import { unavailable } from './database-errors.js'
import { repeatDeletions } from './deletions.js'
import { SERVER_SOURCE, type SpecRequest, type StatusReport } from './events.js'
import { Feed } from './feed.js'
import { type InstanceMessage, openInstanceMessages, type ResyncMessage } from './instance-messages.js'
import { keepInstance } from './instances.js'
import { checkNesting } from './json-parts.js'
import { checkSpecSize, checkStatusSize } from './limits.js'
import { invalidBundle, readSpec } from './manifests.js'
import { resyncIn } from './resync.js'
import { sharedReads } from './shared-reads.js'
import { specWarnings } from './spec-warnings.js'
import { beingDeleted, specWritesTo, type Written } from './spec-writes.js'
import { readStatus } from './status.js'
import { statusWritesTo } from './status-writes.js'
import { Subscribers } from './subscribers.js'

/** Bundles of all sources and consumers, and who has to know about their changes. */
export interface MaestroCore {
  /** The source of events to agents. */
  readonly sourceId: string
  readonly consumers: Omit<Consumers, 'delete'> & {
    /** As of `Consumers`. With `force`, bundles are removed without their agent. */
    delete(id: string, options?: { readonly force?: boolean }): Promise<string | undefined>
  }
  readonly bundles: Bundles & { /** Does nothing if the bundle does not exist. */ delete(id: string): Promise<void> }
  /** Durable when resolved. Rejects with `MaestroError`. */
  publishSpec(request: SpecRequest): Promise<void>
  /** When resolved, the status is durable or was dropped, because a newer one is known. Rejects with `MaestroError`. */
  publishStatus(report: StatusReport): Promise<void>
  /** All that an agent with works of these versions has to know. */
  specsFor(consumerName: string, known: ReadonlyMap<string, number>): AsyncIterable<SpecChange>
  /** The statuses that differ from these hashes. All statuses of the source if there are no hashes. */
  statusesFor(source: string, hashes: ReadonlyMap<string, string>): AsyncIterable<StatusChange>
  /** Returns a function that ends the subscription. */
  subscribeSpecs(consumerName: string, onChange: (change: SpecChange) => void): () => void
  subscribeStatuses(source: string, onChange: (change: StatusChange) => void): () => void
  /**
   * Calls back for what this instance writes, for a transport that reaches agents from every instance. Returns a function
   * that ends it.
   */
  followWrites(onChange: (change: SpecChange) => void): () => void
  /** Tells the other instances something. Rejects with `MaestroError` if the database is not available. */
  tellOthers(message: InstanceMessage): Promise<void>
  /** Whether the changes of other instances are followed, which needs the database. */
  readonly ready: boolean
  close(): Promise<void>
}

export interface CoreOptions {
  readonly database: Database
  /** Different for each instance on one database. Default: a new UUID. */
  readonly instance?: string
  /** The source of events to agents, the same for all instances. Default `maestro`. */
  readonly sourceId?: string
  readonly clock?: Clock
  readonly log?: Logger
  /** After how many seconds a deletion that the agent has not confirmed is sent again. Default 60. */
  readonly repeatDeletionsAfterSeconds?: number
  /** Called when this instance may have missed changes: subscribers have to resync. */
  readonly onGap?: () => void
  /** Called for each resync request that another instance could not answer alone. */
  readonly onResync?: (request: ResyncMessage) => void
  /** Called when a consumer was deleted, by any instance. */
  readonly onConsumerDeleted?: (name: string) => void
}

const NO_METADATA = Buffer.from('{}')

export async function startCore(options: CoreOptions): Promise<MaestroCore> {
  const { database, instance = randomUUID(), clock = systemClock, log = silentLogger } = options
  const [stored, consumers] = [bundlesIn(database), consumersIn(database)]
  const read = sharedReads(stored.getAll, ({ id }) => id)
  const bundles: Bundles = { ...stored, get: async (id) => (await read(id))[0] }
  const agents = new Subscribers<SpecChange>()
  const sources = new Subscribers<StatusChange>()
  const feed = new Feed({
    database,
    bundles,
    instance,
    clock,
    log,
    wantsSpecs: (consumerName) => agents.has(consumerName),
    wantsStatuses: (source) => sources.has(source),
    onSpec: (bundle) => agents.deliver(bundle.consumerName, specChangeOf(bundle, bundle.version === 1)),
    onStatus: (bundle, isRemoved) => sources.deliver(bundle.source, statusChangeOf(bundle, isRemoved)),
  })
  const specWrites = specWritesTo(database, instance)
  const warnOf = specWarnings(log)
  const statusWrites = statusWritesTo(database, instance, () => sources.size > 0)
  await feed.start()
  const instanceRow = await keepInstance({ database, instance, clock, log, feed, onGap: () => options.onGap?.() })
  const messages = openInstanceMessages({
    database,
    instance,
    log,
    onMessage(message) {
      if (message.kind === 'consumerDeleted') options.onConsumerDeleted?.(message.name)
      else options.onResync?.(message)
    },
  })
  const tellOthers = (message: InstanceMessage) => messages.send(message).catch(unavailable)
  const repeatAfter = (options.repeatDeletionsAfterSeconds ?? 60) * 1_000
  const repeating = repeatDeletions({ database, clock, log, every: repeatAfter, agents })

  const writeFollowers = new Set<(change: SpecChange) => void>()
  const tellFollowers = (change: SpecChange) => {
    for (const onChange of writeFollowers) onChange(change)
  }
  const deliver = (written: Written | undefined) => {
    if (written === undefined) return
    feed.deliverSpec(written.bundle, written.transaction)
    tellFollowers(specChangeOf(written.bundle, written.bundle.version === 1))
  }

  async function publishSpec(request: SpecRequest): Promise<void> {
    const { action, id, source, consumerName, version } = request
    if (action === 'delete') {
      deliver(await specWrites.delete({ key: id, bytes: 100, source }))
      return
    }
    if (request.data === undefined) throw await withoutManifests(request)
    const data = bufferOf(request.data)
    const metadata = request.metadata === undefined ? NO_METADATA : Buffer.from(request.metadata)
    checkSpecSize(data.length, metadata.length)
    const spec = readSpec(data, action === 'update' ? 'new manifest bundle' : undefined)
    const parsed = request.metadata === undefined ? {} : readMetadata(request.metadata)
    if (action === 'create') checkNewId({ id, source, consumerName, metadata: parsed })
    warnOf({ id, source, consumerName, spec })
    const write = { key: id, bytes: data.length + metadata.length, source, consumerName, metadata, spec }
    if (version < 0) throw new MaestroError('Validation', `the resource version ${version} is negative: use 0 or more`)
    if (action === 'create') deliver(await specWrites.create({ ...write, version: version === 0 ? 1 : version }))
    else deliver(await specWrites.update({ ...write, version }))
  }

  /** Maestro's SDK sends no manifests for a work that is being deleted, and clients expect this as the reason. */
  async function withoutManifests({ action, id }: SpecRequest): Promise<MaestroError> {
    const stored = action === 'update' ? await bundles.get(id) : undefined
    return stored?.deletedAt === undefined ? invalidBundle('manifest bundle is empty') : beingDeleted(id)
  }

  async function publishStatus(report: StatusReport): Promise<void> {
    const { id, consumerName, version, sequenceId, hash } = report
    checkStatusSize(report.data.length)
    const { conditions, resourceStatus, isDeleted } = readStatus(report)
    const bytes = report.data.length
    const write = { key: id, bytes, consumerName, version, sequenceId, hash, conditions, resourceStatus }
    const written = await (isDeleted ? statusWrites.remove(write) : statusWrites.update(write))
    const { outcome, bundle, transaction } = written
    if (outcome === 'otherConsumer') {
      throw new MaestroError('Forbidden', `unmatched consumer name ${consumerName} for resource ${id}`)
    }
    if (outcome === 'otherNode') {
      throw new MaestroError('BadRequest', 'Unable to compare sequence IDs: Sequence IDs are not from the same node')
    }
    if (outcome === 'accepted') {
      const order = { observedVersion: version, sequenceId }
      feed.deliverStatus(id, order, { bundle, isRemoved: isDeleted, transaction })
    }
    // The agent deleted a work that nobody deletes here: it gets the work again.
    if (outcome === 'notDeleting') for (const found of await bundles.getAll([id])) sendAgain(found)
  }
  const sendAgain = (bundle: Bundle) => {
    agents.deliver(bundle.consumerName, specChangeOf(bundle))
    tellFollowers(specChangeOf(bundle))
  }

  return {
    sourceId: options.sourceId ?? SERVER_SOURCE,
    consumers: {
      ...consumers,
      async delete(id, { force = false } = {}) {
        const name = force ? await removeConsumer(database, consumers, { id, instance }) : await consumers.delete(id)
        if (force) feed.look()
        if (name === undefined) return undefined
        options.onConsumerDeleted?.(name)
        await tellOthers({ kind: 'consumerDeleted', name })
        return name
      },
    },
    bundles: {
      ...bundles,
      async delete(id) {
        deliver(await specWrites.delete({ key: id, bytes: 100, source: undefined }))
      },
    },
    publishSpec,
    publishStatus,
    ...resyncIn(database, bundles),
    subscribeSpecs: (consumerName, onChange) => agents.add(consumerName, onChange),
    subscribeStatuses: (source, onChange) => sources.add(source, onChange),
    followWrites(onChange) {
      writeFollowers.add(onChange)
      return () => writeFollowers.delete(onChange)
    },
    tellOthers,
    get ready() {
      return feed.isReady
    },
    async close() {
      repeating.close()
      await feed.close()
      await messages.close()
      await instanceRow.close()
    },
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function readMetadata(text: string): JsonObject {
  let parsed: unknown
  try {
    checkNesting(Buffer.from(text))
    parsed = JSON.parse(text)
  } catch (error) {
    throw new MaestroError('Validation', `the metadata extension is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(parsed)) throw new MaestroError('Validation', 'the metadata extension is not a JSON object')
  return parsed
}
