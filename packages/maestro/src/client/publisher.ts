import type { NewManifestWork } from '@orrery/api'
import type { EventAction } from '../codec/event-type.js'
import { type SpecEvent, specEvent } from '../codec/work-events.js'
import type { Channel } from '../transport/channel.js'
import { publishedMetadata } from './bundle.js'
import { grpcFailure } from './failures.js'
import { type RetryPolicy, withRetry } from './retry.js'

export interface Publication {
  readonly action: EventAction
  readonly id: string
  readonly consumer: string
  /** The version that the server has. 0 for a new work. */
  readonly version: number
  readonly work: NewManifestWork
}

export interface PublicationOptions {
  readonly signal?: AbortSignal | undefined
  /** Whether the error of a repeated attempt means that an earlier one has succeeded. */
  readonly isDone?: (error: unknown) => Promise<boolean>
}

/** Publishes the works of a source, with retries. */
export class WorkPublisher {
  readonly #channel: Channel
  readonly #source: string
  readonly #retry: RetryPolicy

  constructor(channel: Channel, source: string, retry: RetryPolicy) {
    this.#channel = channel
    this.#source = source
    this.#retry = retry
  }

  /** Resolves when the server has stored the work. Throws `StatusError`. */
  async publish(publication: Publication, { signal, isDone }: PublicationOptions = {}): Promise<void> {
    const { consumer, work } = publication
    const event = this.#event(publication)
    await withRetry(this.#retry, signal, async (attempt) => {
      try {
        await this.#channel.publish(event, signal === undefined ? {} : { signal })
      } catch (error) {
        signal?.throwIfAborted()
        const known = grpcFailure(error, consumer, work.metadata.name ?? '')
        if (attempt > 1 && (await isDone?.(known)) === true) return
        throw known
      }
    })
  }

  #event({ action, id, consumer, version, work }: Publication) {
    const { deletionTimestamp } = work.metadata
    const metadata = {
      ...publishedMetadata(work.metadata, work.spec),
      namespace: consumer,
      uid: id,
      ...(action === 'delete_request' && deletionTimestamp !== undefined && { deletionTimestamp }),
    }
    const sent = { metadata, spec: work.spec } as SpecEvent['work']
    return specEvent({ source: this.#source, action, resourceId: id, resourceVersion: version, work: sent })
  }
}
