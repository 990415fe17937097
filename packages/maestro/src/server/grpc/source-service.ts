import { type Logger, silentLogger } from '@orrery/kube/log'
import type { CloudEvent } from '../../codec/cloud-event.js'
import { parseEventType } from '../../codec/event-type.js'
import { decodePublishRequest, decodeSubscriptionRequest, encodeCloudEvent } from '../../codec/protobuf.js'
import { readStatusResync } from '../../codec/resync-events.js'
import type { Access } from '../access/access.js'
import { compactRemoval, isNewerStatus, type StatusChange, sizeOf, statusChangeOf } from '../core/changes.js'
import type { MaestroCore } from '../core/core.js'
import { readSpecRequest, type SpecRequest, statusEventOf } from '../core/events.js'
import type { ResyncMessage } from '../core/instance-messages.js'
import { ResyncTurns } from '../core/resync-turns.js'
import { GrpcCode, MaestroError } from '../errors.js'
import { authorize } from './authorization.js'
import { failure, readOr } from './call-errors.js'
import type { Heartbeats } from './heartbeats.js'
import { type CallContext, CallError, type CloudEventService, type EventStream } from './service.js'
import { Streams } from './streams.js'
import { openSubscription, type Rechecks } from './subscription.js'

export interface ServiceOptions {
  readonly core: MaestroCore
  readonly access: Access
  readonly heartbeats: Heartbeats
  readonly log?: Logger
  /** Default: permissions are checked only at the beginning of a subscription. */
  readonly rechecks?: Rechecks | undefined
}

export interface ClosableService extends CloudEventService {
  /** Ends all subscriptions: clients subscribe again, here or at another instance, and resync. */
  endAll(reason: string): void
  /** Ends the subscriptions of one source or cluster. */
  end(subject: string, reason: string): void
  /** Answers a resync request that another instance received. */
  answer(request: ResyncMessage): Promise<void>
}

const ACTIONS = { create_request: 'create', update_request: 'update', delete_request: 'delete' } as const

/** The port of sources: they publish specs and subscribe to statuses. */
export function sourceService({
  core,
  access,
  heartbeats,
  rechecks,
  log = silentLogger,
}: ServiceOptions): ClosableService {
  const streams = new Streams<StatusChange>()
  const resyncs = new ResyncTurns()
  /** One event can have many subscribers: it is encoded once. */
  const encoded = new WeakMap<StatusChange, Uint8Array>()

  function encode(change: StatusChange): Uint8Array {
    const bytes = encoded.get(change) ?? encodeCloudEvent(statusEventOf(change, core.sourceId))
    encoded.set(change, bytes)
    return bytes
  }

  async function publish(message: Buffer, context: CallContext): Promise<void> {
    const event = readOr('failed to convert protobuf to cloudevent', () => decodePublishRequest(message))
    await authorize(access, context, {
      verb: 'pub',
      path: `/sources/${event.source}`,
      refusal: `unauthorized to publish the event from source ${event.source}`,
    })
    const type = parseEventType(event.type)
    if (type === undefined) {
      throw new CallError(
        GrpcCode.invalidArgument,
        `failed to parse cloud event type ${event.type}, unsupported cloudevents type format: use <data type>.<spec|status>.<action>`,
      )
    }
    if (type.action === 'resync_request') return respond(event, context)
    const request = readOr('failed to decode cloudevent', () => readSpecRequest(event, actionOf(type.action)))
    await core.publishSpec(request).catch((error) => {
      throw failure(problemOf(request.action, error), error)
    })
  }

  function actionOf(action: string): SpecRequest['action'] {
    const found = ACTIONS[action as keyof typeof ACTIONS]
    if (found === undefined) throw new CallError(GrpcCode.invalidArgument, `unsupported action ${action}`)
    return found
  }

  /** The answer goes to all subscribers of the source: a call does not tell which one is the caller's. */
  async function respond(event: CloudEvent, { connection }: CallContext): Promise<void> {
    const what = 'failed to respond resync status request'
    const { source } = event
    const hashes = readOr(`${what}: failed to decode status resync request`, () => readStatusResync(event))
    try {
      await sendStatuses(source, hashes)
      if (!streams.has(source, connection)) {
        await core.tellOthers({ kind: 'resync', port: 'sources', subject: source, known: [...hashes] })
      }
    } catch (error) {
      throw failure(what, error)
    }
  }

  async function sendStatuses(source: string, hashes: ReadonlyMap<string, string>): Promise<void> {
    if (!streams.has(source)) return
    await resyncs.run(source, hashes.size, () => streams.sendAll(source, core.statusesFor(source, hashes)))
  }

  async function subscribe(message: Buffer, context: CallContext, stream: EventStream): Promise<void> {
    const { source } = readOr('invalid subscription request', () => decodeSubscriptionRequest(message))
    const authorized = () =>
      authorize(access, context, {
        verb: 'sub',
        path: `/sources/${source}`,
        refusal: `unauthorized to subscribe the event from source ${source}`,
      })
    await authorized()
    streams.add(source, context.connection, (onClosed) =>
      openSubscription<StatusChange>({
        stream,
        encode,
        heartbeats,
        log,
        rechecks,
        authorize: authorized,
        isNewer: isNewerStatus,
        isDeletion: ({ isRemoved }) => isRemoved,
        compact: compactRemoval,
        sizeOf: ({ bundle }) => sizeOf(bundle),
        flowOf: ({ bundle }) => bundle.consumerName,
        reload: async (ids) => {
          const bundles = await core.bundles.getAll(ids)
          return bundles.filter(({ status }) => status !== undefined).map((bundle) => statusChangeOf(bundle, false))
        },
        begin: (push) => core.subscribeStatuses(source, push),
        onClosed,
      }),
    )
  }

  return {
    publish,
    subscribe,
    endAll: (reason) => streams.endAll(reason),
    end: (source, reason) => streams.end(source, reason),
    answer: ({ subject, known }) => sendStatuses(subject, new Map(known.map(([id, hash]) => [id, String(hash)]))),
  }
}

function problemOf(action: SpecRequest['action'], error: unknown): string {
  const isMissing = error instanceof MaestroError && error.kind === 'NotFound'
  return isMissing && action === 'update' ? 'failed to get resource' : `failed to ${action} resource`
}
