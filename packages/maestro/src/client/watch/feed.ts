import type { ManifestWork } from '@orrery/api'
import { isForbidden, isUnauthorized, type LabelSelector } from '@orrery/kinds/values'
import type { Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { CloudEvent } from '../../codec/cloud-event.js'
import { CodecError } from '../../codec/codec-error.js'
import { MANIFEST_BUNDLES } from '../../codec/event-type.js'
import { Extension } from '../../codec/extensions.js'
import { readStatusEvent } from '../../codec/work-events.js'
import type { Channel, Subscription } from '../../transport/channel.js'
import type { StoredWork } from '../bundle.js'
import { grpcFailure } from '../failures.js'
import type { StoredWorks } from '../stored-works.js'
import { WorkWatch } from './watch.js'

/** A change of a watched work. */
export interface WorkEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: ManifestWork
}

export interface WatchRequest {
  /** Undefined for all consumers. */
  readonly consumer: string | undefined
  /** Undefined for all works. */
  readonly id?: string | undefined
  readonly selector: LabelSelector
  readonly signal: AbortSignal | undefined
  readonly onDisconnected?: ((error: unknown) => void) | undefined
  readonly onListed?: (() => void) | undefined
}

export interface FeedTools {
  readonly channel: Channel
  readonly stored: StoredWorks
  readonly source: string
  readonly clock: Clock
  readonly log: Logger
  readonly resyncMilliseconds: number
}

/** Passes the events of the source to all watches. There is one subscription while there are watches. */
export class WorkFeed {
  readonly #tools: FeedTools
  readonly #watches = new Set<WorkWatch>()
  #subscription: Subscription | undefined
  #isConnected = false

  constructor(tools: FeedTools) {
    this.#tools = tools
  }

  watch({ signal, id, ...request }: WatchRequest): AsyncIterableIterator<WorkEvent> {
    const watch = new WorkWatch({ ...this.#tools, ...request, id, onClosed: () => this.#remove(watch) })
    if (signal?.aborted === true) watch.close()
    else {
      this.#watches.add(watch)
      const close = () => watch.close()
      signal?.addEventListener('abort', close, { once: true })
      watch.signal.addEventListener('abort', () => signal?.removeEventListener('abort', close), { once: true })
      this.#subscription ??= this.#subscribe()
      if (this.#isConnected) watch.relist()
    }
    return watch.events()
  }

  /** To be called with what this client has written: the server does not report it. */
  written(stored: StoredWork): void {
    for (const watch of this.#watchesOf(stored.work.metadata.namespace, stored.id)) watch.accept(stored)
  }

  /** To be called when this client has changed a work: watches read it again. */
  async changed(id: string, consumer: string): Promise<void> {
    await Promise.all(this.#watchesOf(consumer, id).map((watch) => watch.read(id)))
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) watch.close()
    await this.#subscription?.close()
  }

  #subscribe(): Subscription {
    const { channel, source, log } = this.#tools
    return channel.subscribe(
      { source, dataType: MANIFEST_BUNDLES },
      {
        onEvent: (event) => this.#receive(event),
        onConnected: () => {
          this.#isConnected = true
          for (const watch of this.#watches) watch.relist()
        },
        onDisconnected: (error) => {
          this.#isConnected = false
          const failure = grpcFailure(error, '', '')
          log.info('the watch of works lost its connection', { source, error })
          const isRejected = isUnauthorized(failure) || isForbidden(failure)
          for (const watch of this.#watches) {
            if (isRejected) watch.close(failure)
            else watch.disconnected(failure)
          }
        },
      },
    )
  }

  #receive(event: CloudEvent): void {
    const consumer = event.extensions[Extension.ClusterName]
    try {
      const message = readStatusEvent(event)
      for (const watch of this.#watchesOf(String(consumer), message.resourceId)) watch.receive(message)
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      this.#tools.log.warn('ignored a status event that cannot be read', { error })
    }
  }

  #watchesOf(consumer: string, id: string): WorkWatch[] {
    return [...this.#watches].filter((watch) => watch.includes(consumer, id))
  }

  #remove(watch: WorkWatch): void {
    this.#watches.delete(watch)
    if (this.#watches.size > 0) return
    const subscription = this.#subscription
    this.#subscription = undefined
    this.#isConnected = false
    subscription?.close().catch((error: unknown) => this.#tools.log.warn('the subscription did not end', { error }))
  }
}
