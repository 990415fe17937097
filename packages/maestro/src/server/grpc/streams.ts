import { GrpcCode } from '../errors.js'
import { CallError } from './service.js'
import type { ChangeStream } from './subscription.js'

/** Subscriptions of one source or cluster. Each holds a message that its client has not read. */
const MAX_SUBSCRIPTIONS = 256

/** The open subscriptions of a port: several for one source or cluster. */
export class Streams<Change extends { readonly id: string }> {
  /** The subscriptions of each source or cluster, with their connections. */
  readonly #bySubject = new Map<string, Map<ChangeStream<Change>, string>>()

  /** @param connection Only a subscription over this connection. Default any. */
  has(subject: string, connection?: string): boolean {
    const all = this.#bySubject.get(subject)
    return all !== undefined && (connection === undefined || [...all.values()].includes(connection))
  }

  /**
   * Adds the subscription that `open` returns. It calls `onClosed` when the subscription has ended. Throws `CallError` if the subject
   * has too many.
   */
  add(subject: string, connection: string, open: (onClosed: () => void) => ChangeStream<Change>): ChangeStream<Change> {
    const all = this.#bySubject.get(subject) ?? new Map()
    if (all.size >= MAX_SUBSCRIPTIONS) {
      throw new CallError(
        GrpcCode.resourceExhausted,
        `${subject} has ${MAX_SUBSCRIPTIONS} subscriptions: close some of them`,
      )
    }
    this.#bySubject.set(subject, all)
    const opened = open(() => {
      all.delete(opened)
      if (all.size === 0 && this.#bySubject.get(subject) === all) this.#bySubject.delete(subject)
    })
    all.set(opened, connection)
    return opened
  }

  /** Sends changes to all subscriptions as fast as the fastest reads. Those that are slower get the latest changes later. */
  async sendAll(subject: string, changes: AsyncIterable<Change>): Promise<void> {
    for await (const change of changes) {
      const receivers = [...(this.#bySubject.get(subject)?.keys() ?? [])]
      if (receivers.length === 0) return
      await Promise.race(receivers.map(({ outbox }) => outbox.room()))
      for (const { outbox } of receivers) outbox.push(change)
    }
  }

  endAll(reason: string): void {
    for (const subject of [...this.#bySubject.keys()]) this.end(subject, reason)
  }

  /** Ends the subscriptions of one source or cluster. */
  end(subject: string, reason: string): void {
    const error = new CallError(GrpcCode.unavailable, reason)
    for (const opened of [...(this.#bySubject.get(subject)?.keys() ?? [])]) opened.end(error)
  }
}
