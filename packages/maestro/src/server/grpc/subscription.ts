import { randomUUID } from 'node:crypto'
import type { Logger } from '@orrery/kube/log'
import { Outbox, type OutboxOptions } from '../core/outbox.js'
import { GrpcCode } from '../errors.js'
import type { Heartbeats } from './heartbeats.js'
import type { Rounds } from './rounds.js'
import { CallError, type EventStream } from './service.js'

/** Clients of newer versions wait for this in the header of the response. */
const SUBSCRIPTION_ID = 'subscription-id'

/** When the permissions of subscribers are checked again. */
export type Rechecks = Rounds<void>

export interface SubscriptionOptions<Change>
  extends Pick<OutboxOptions<Change>, 'reload' | 'isDeletion' | 'compact' | 'isNewer' | 'sizeOf' | 'flowOf'> {
  readonly stream: EventStream
  readonly encode: (change: Change) => Uint8Array
  readonly heartbeats: Heartbeats
  readonly log: Logger
  readonly rechecks: Rechecks | undefined
  /** Rejects with `CallError` if the subscriber no longer has permission. */
  readonly authorize: () => Promise<void>
  /** Begins to deliver changes. Returns what ends it. */
  readonly begin: (push: (change: Change) => void) => () => void
  readonly onClosed: () => void
}

export interface ChangeStream<Change extends { readonly id: string }> {
  readonly outbox: Outbox<Change>
  end(error: CallError): void
}

/** Sends changes to one subscriber until it leaves. */
export function openSubscription<Change extends { readonly id: string }>(
  options: SubscriptionOptions<Change>,
): ChangeStream<Change> {
  const { stream, encode, heartbeats, rechecks, log } = options
  const end = (error: CallError) => {
    stop()
    stream.end(error)
  }
  /** A change that cannot be encoded must not keep others from being sent. */
  const encodedOr = (change: Change): Uint8Array | undefined => {
    try {
      return encode(change)
    } catch (error) {
      log.error('a change cannot be sent', { resourceId: change.id, error })
      return undefined
    }
  }
  const outbox = new Outbox<Change>({
    ...options,
    send(change) {
      const message = encodedOr(change)
      return message === undefined || stream.write(message)
    },
    // The client subscribes again and resyncs.
    onError: (error) => end(new CallError(GrpcCode.unavailable, 'the database is not available', { cause: error })),
    onOverflow: () => end(new CallError(GrpcCode.unavailable, 'too many deletions wait to be read: subscribe again')),
  })
  // Registered before the header is sent: what the client publishes after it must not miss its answer.
  const unsubscribe = options.begin((change) => outbox.push(change))
  let isBehind = false
  const removeHeartbeat = heartbeats.add((message) => {
    // A stream that is full has something better to read.
    if (!isBehind) isBehind = !stream.write(message)
  })
  // Tokens expire and permissions are revoked while a subscription is open.
  const removeRecheck = rechecks?.add(() => {
    options.authorize().catch((error: unknown) => {
      if (isStopped || !(error instanceof CallError) || error.code === GrpcCode.unavailable) return
      // The client may have a new token: it learns the reason when it subscribes again.
      end(new CallError(GrpcCode.unavailable, `${error.message}: subscribe again`, { cause: error }))
    })
  })
  let isStopped = false
  const stop = () => {
    if (isStopped) return
    isStopped = true
    unsubscribe()
    removeHeartbeat()
    removeRecheck?.()
    outbox.close()
    options.onClosed()
  }
  stream.onDrain(() => {
    isBehind = false
    outbox.resume()
  })
  stream.onClose(stop)
  stream.start({ [SUBSCRIPTION_ID]: randomUUID() })
  return { outbox, end }
}
