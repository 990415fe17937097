import type { ManifestWork } from '@orrery/api'
import type { CloudEvent } from '../codec/cloud-event.js'
import type { EventAction } from '../codec/event-type.js'
import { statusEvent } from '../codec/work-events.js'
import type { Channel, PublishOptions } from '../transport/channel.js'
import { originalSourceOf } from './received-work.js'

/** Where the sequence IDs of statuses come from. */
export interface Sequence {
  next(): Promise<string>
}

/** Sends the status of works, in order for each work. */
export class StatusOutbox {
  readonly #channel: Pick<Channel, 'publish'>
  readonly #agentId: string
  readonly #sequence: Sequence
  /** The end of the last task of each work. */
  readonly #tasks = new Map<string, Promise<void>>()

  constructor(channel: Pick<Channel, 'publish'>, agentId: string, sequence: Sequence) {
    this.#channel = channel
    this.#agentId = agentId
    this.#sequence = sequence
  }

  /** Runs a task when earlier ones of the work have ended, so that it sees what they have sent. */
  async inTurn<T>(resourceId: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tasks.get(resourceId) ?? Promise.resolve()
    const result = before.then(task)
    const end = result.then(
      () => undefined,
      () => undefined,
    )
    this.#tasks.set(resourceId, end)
    try {
      return await result
    } finally {
      if (this.#tasks.get(resourceId) === end) this.#tasks.delete(resourceId)
    }
  }

  /** Resolves when the peer has acknowledged the status. */
  async send(work: ManifestWork, action: EventAction, options: PublishOptions = {}): Promise<void> {
    const sequenceId = await this.#sequence.next()
    await this.#channel.publish(this.#eventOf(work, action, sequenceId), options)
  }

  #eventOf(work: ManifestWork, action: EventAction, sequenceId: string): CloudEvent {
    return statusEvent({
      agentId: this.#agentId,
      action,
      resourceId: work.metadata.uid,
      resourceVersion: work.metadata.generation ?? 0,
      sequenceId,
      originalSource: originalSourceOf(work),
      work,
    })
  }
}
