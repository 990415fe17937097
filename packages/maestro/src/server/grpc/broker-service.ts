import { silentLogger } from '@orrery/kube/log'
import type { CloudEvent } from '../../codec/cloud-event.js'
import { CodecError } from '../../codec/codec-error.js'
import { MANIFEST_BUNDLES, parseEventType } from '../../codec/event-type.js'
import { Extension, textExtension } from '../../codec/extensions.js'
import { decodePublishRequest, decodeSubscriptionRequest, encodeCloudEvent } from '../../codec/protobuf.js'
import { readSpecResync } from '../../codec/resync-events.js'
import { isDeletion, isNewerSpec, type SpecChange, sizeOf, specChangeOf } from '../core/changes.js'
import { readStatusReport, specEventOf } from '../core/events.js'
import { ResyncTurns } from '../core/resync-turns.js'
import { GrpcCode } from '../errors.js'
import { authorize } from './authorization.js'
import { failure, readOr } from './call-errors.js'
import { type CallContext, CallError, type EventStream } from './service.js'
import type { ClosableService, ServiceOptions } from './source-service.js'
import { Streams } from './streams.js'
import { openSubscription } from './subscription.js'

const MAX_UNANSWERED = 1_000
/** The size of the event for a bundle that the server does not know. */
const DELETION_BYTES = 200

/** A change, and whether it answers a resync request. */
interface Sent extends SpecChange {
  readonly isResponse: boolean
}

/** The port of agents: they subscribe to specs and publish statuses. */
export function brokerService({
  core,
  access,
  heartbeats,
  rechecks,
  log = silentLogger,
}: ServiceOptions): ClosableService {
  const streams = new Streams<Sent>()
  const resyncs = new ResyncTurns()
  /** Requests of agents whose subscription has not come yet: calls may overtake each other. */
  const unanswered = new RecentRequests()

  async function publish(message: Buffer, context: CallContext): Promise<void> {
    const event = readOr('failed to convert protobuf to cloudevent', () => decodePublishRequest(message))
    const type = parseEventType(event.type)
    if (type === undefined) {
      throw new CallError(
        GrpcCode.invalidArgument,
        `failed to parse cloud event type ${event.type}, unsupported cloudevents type format: use <data type>.<spec|status>.<action>`,
      )
    }
    const clusterName = readOr('failed to decode cloudevent', () => textExtension(event, Extension.ClusterName))
    await authorize(access, context, {
      verb: 'pub',
      path: `/clusters/${clusterName}`,
      refusal: `unauthorized to publish the event from cluster ${clusterName}`,
    })
    if (type.dataType !== MANIFEST_BUNDLES) throw unknownDataType(type.dataType)
    if (type.action === 'resync_request') return respond(event, clusterName, context)
    if (type.subResource !== 'status') {
      throw new CallError(GrpcCode.invalidArgument, `unsupported event type ${event.type}: agents publish statuses`)
    }
    const report = readOr('failed to decode cloudevent', () => readStatusReport(event, core.sourceId))
    await core.publishStatus(report).catch((error) => {
      throw failure(`failed to handle resource status update ${report.id}`, error)
    })
  }

  async function respond(event: CloudEvent, clusterName: string, { connection }: CallContext): Promise<void> {
    const what = 'failed to respond resync spec request'
    const versions = readOr(what, () => readSpecResync(event))
    try {
      await answerOrKeep(clusterName, versions)
      // A load balancer can send the calls of an agent to several instances.
      if (!streams.has(clusterName, connection)) {
        await core.tellOthers({ kind: 'resync', port: 'agents', subject: clusterName, known: [...versions] })
      }
    } catch (error) {
      throw failure(what, error)
    }
  }

  async function answerOrKeep(clusterName: string, versions: ReadonlyMap<string, number>): Promise<void> {
    if (streams.has(clusterName)) await answer(clusterName, versions)
    else unanswered.set(clusterName, versions)
  }

  async function answer(clusterName: string, versions: ReadonlyMap<string, number>): Promise<void> {
    await resyncs.run(clusterName, versions.size, () =>
      streams.sendAll(clusterName, responses(core.specsFor(clusterName, versions))),
    )
  }

  async function subscribe(message: Buffer, context: CallContext, stream: EventStream): Promise<void> {
    const what = 'invalid subscription request'
    const { clusterName, dataType } = readOr(what, () => decodeSubscriptionRequest(message))
    if (clusterName === '') throw new CallError(GrpcCode.invalidArgument, `${what}: missing cluster name`)
    if (dataType !== MANIFEST_BUNDLES) {
      throw failure(what, new CodecError(`invalid data type ${dataType}: use ${MANIFEST_BUNDLES}`))
    }
    const authorized = () =>
      authorize(access, context, {
        verb: 'sub',
        path: `/clusters/${clusterName}`,
        refusal: `unauthorized to subscribe the event for cluster ${clusterName}`,
      })
    await authorized()
    const opened = streams.add(clusterName, context.connection, (onClosed) =>
      openSubscription<Sent>({
        stream,
        heartbeats,
        log,
        rechecks,
        authorize: authorized,
        encode: (change) =>
          encodeCloudEvent(specEventOf(change, change.isResponse ? 'resync_response' : undefined, core.sourceId)),
        isNewer: isNewerSpec,
        isDeletion,
        // The bundle exists until the agent has confirmed its deletion, if it existed at all.
        compact: (deletion) => (deletion.bundle === undefined ? deletion : undefined),
        sizeOf: ({ bundle }) => (bundle === undefined ? DELETION_BYTES : sizeOf(bundle)),
        flowOf: ({ bundle }) => bundle?.source ?? '',
        reload: async (ids) => {
          const bundles = await core.bundles.getAll(ids)
          return bundles.map((bundle) => ({ ...specChangeOf(bundle), isResponse: false }))
        },
        begin: (push) => core.subscribeSpecs(clusterName, (change) => push({ ...change, isResponse: false })),
        onClosed,
      }),
    )
    const versions = unanswered.take(clusterName)
    if (versions !== undefined) {
      // The agent subscribes again, and asks again.
      answer(clusterName, versions).catch((error) =>
        opened.end(failure('failed to respond resync spec request', error)),
      )
    }
  }

  return {
    publish,
    subscribe,
    endAll: (reason) => streams.endAll(reason),
    end: (clusterName, reason) => streams.end(clusterName, reason),
    answer: ({ subject, known }) => answerOrKeep(subject, new Map(known.map(([id, version]) => [id, Number(version)]))),
  }
}

async function* responses(changes: AsyncIterable<SpecChange>): AsyncIterable<Sent> {
  for await (const change of changes) yield { ...change, isResponse: true }
}

/** The last requests, one for each cluster. */
class RecentRequests {
  readonly #byCluster = new Map<string, ReadonlyMap<string, number>>()

  set(clusterName: string, versions: ReadonlyMap<string, number>): void {
    this.#byCluster.delete(clusterName)
    this.#byCluster.set(clusterName, versions)
    for (const oldest of this.#byCluster.keys()) {
      if (this.#byCluster.size <= MAX_UNANSWERED) break
      this.#byCluster.delete(oldest)
    }
  }

  take(clusterName: string): ReadonlyMap<string, number> | undefined {
    const versions = this.#byCluster.get(clusterName)
    this.#byCluster.delete(clusterName)
    return versions
  }
}

function unknownDataType(dataType: string): CallError {
  return new CallError(GrpcCode.invalidArgument, `failed to find service for event type ${dataType}`)
}
