import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import type { HubClient } from '../hub/hub-client.js'
import { HubError } from '../hub/hub-error.js'
import { type Component, type ComponentHealth, HEALTHY } from '../lifecycle/component.js'
import { Periodic } from '../lifecycle/periodic.js'
import type { OperationRecord, OutboxMessage } from './record.js'
import type { RecordStore } from './record-store.js'

export interface OutboxOptions {
  readonly hub: Pick<HubClient, 'sendResult' | 'sendVdcStatus' | 'sendVdcDeletion' | 'breakerOf'>
  readonly store: RecordStore
  readonly clock: Clock
  readonly log: Logger
  /** How long reported records are kept. */
  readonly retentionMs: () => number
  /** Default 1,000. */
  readonly maxReported?: number
}

/** With this many messages that the hub has not heard, the agent takes no more operations. */
const MAX_UNREPORTED = 10_000
const RETRY_MS = 5_000
const LAST_FLUSH_MS = 5_000
/** The pause when there is nothing to send: old records are removed then. */
const IDLE_MS = 600_000

interface Entry {
  readonly record: OperationRecord
  /** Queries change nothing: repeating one is harmless, so they are only kept in memory. */
  readonly isDurable: boolean
  isStored: boolean
}

/**
 * What the agent has executed, and the messages about it that the hub has not heard yet. Kept on the cluster, so that
 * after a crash nothing is executed again and nothing is left unreported.
 */
export class Outbox implements Component {
  readonly name = 'outbox'
  readonly #options: OutboxOptions
  readonly #entries = new Map<string, Entry>()
  readonly #unreported = new Set<string>()
  readonly #flushing: Periodic
  #problem = ''
  #isLoaded = false

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#flushing = new Periodic(
      options.clock,
      () => this.#nextFlushMs(),
      (signal) => this.#flush(signal),
    )
  }

  /** Messages that the hub has not heard. */
  get size(): number {
    return this.#unreported.size
  }

  get isFull(): boolean {
    return this.#unreported.size >= MAX_UNREPORTED
  }

  /** Whether it knows what earlier runs have executed. Before that, no operation may be executed. */
  get isLoaded(): boolean {
    return this.#isLoaded
  }

  async start(signal: AbortSignal): Promise<void> {
    for (const record of await this.#options.store.load(signal)) {
      if (this.#entries.has(record.operationId)) continue
      this.#entries.set(record.operationId, { record, isDurable: true, isStored: true })
      if (!record.reported) this.#unreported.add(record.operationId)
    }
    this.#isLoaded = true
    this.#flushing.start()
  }

  /** Sends what the hub can take at once; the rest waits on the cluster for the next start. */
  async stop(): Promise<void> {
    await this.#flushing.stop()
    if (this.#unreported.size === 0 || this.#options.hub.breakerOf('result').state !== 'closed') return
    const limit = new AbortController()
    const cancel = this.#options.clock.after(LAST_FLUSH_MS, () => limit.abort())
    await this.#flush(limit.signal)
    cancel()
  }

  health(): ComponentHealth {
    return this.#problem === '' ? HEALTHY : { status: 'warning', message: this.#problem }
  }

  find(operationId: string): OperationRecord | undefined {
    return this.#entries.get(operationId)?.record
  }

  list(): OperationRecord[] {
    return [...this.#entries.values()].map(({ record }) => record)
  }

  /** Keeps what was executed, and sends it. Resolves when the cluster has it, or cannot take it now. */
  async add(record: OperationRecord, { isDurable = true } = {}): Promise<void> {
    const entry: Entry = { record, isDurable, isStored: false }
    this.#entries.set(record.operationId, entry)
    this.#unreported.add(record.operationId)
    await this.#keep(entry)
    this.#flushing.wake()
  }

  /**
   * Whether another agent of this cluster has executed an operation: two overlap while a pod is replaced. Its result is
   * sent again. Throws if the cluster's API is away.
   */
  async recall(operationId: string, signal: AbortSignal): Promise<boolean> {
    const record = await this.#options.store.find(operationId, signal)
    if (record === undefined) return false
    this.#entries.set(operationId, { record, isDurable: true, isStored: true })
    this.resend(operationId)
    return true
  }

  /** Sends the messages of an operation again: the hub delivered it again, so it has not heard them. */
  resend(operationId: string): void {
    if (!this.#entries.has(operationId)) return
    this.#unreported.add(operationId)
    this.#flushing.wake()
  }

  /** Sends what waits, since the hub is back. */
  sendNow(): void {
    if (this.#unreported.size > 0) this.#flushing.wake()
  }

  #nextFlushMs(): number {
    if (this.#unreported.size === 0 && this.#problem === '') return IDLE_MS
    return Math.max(RETRY_MS, this.#options.hub.breakerOf('result').waitMs)
  }

  async #flush(signal: AbortSignal): Promise<void> {
    let problem = ''
    for (const id of [...this.#unreported]) {
      if (signal.aborted) return
      const entry = this.#entries.get(id)
      if (entry === undefined) continue
      try {
        if (!entry.isStored) await this.#keep(entry)
        for (const message of entry.record.messages) await this.#send(message, signal)
        await this.#reported(entry)
      } catch (error) {
        if (signal.aborted) return
        problem = `${this.#unreported.size} results wait for the hub: ${(error as Error).message}`
        break
      }
    }
    this.#problem = problem
    await this.#prune()
  }

  async #send(message: OutboxMessage, signal: AbortSignal): Promise<void> {
    const { hub, log } = this.#options
    try {
      if (message.kind === 'result') await hub.sendResult(message.body, signal)
      else if (message.kind === 'vdc-status') await hub.sendVdcStatus(message.body, signal)
      else await hub.sendVdcDeletion(message.body, signal)
    } catch (error) {
      if (!(error instanceof HubError) || error.isTransient) throw error
      // It would be rejected each time. The message of an operation that the hub has given up is one of these.
      log.warn('the hub rejected a message', { operation: message.body.operation_id, kind: message.kind, error })
    }
  }

  async #reported(entry: Entry): Promise<void> {
    const { operationId } = entry.record
    this.#unreported.delete(operationId)
    const reported: Entry = { ...entry, record: { ...entry.record, reported: true } }
    this.#entries.set(operationId, reported)
    if (!entry.isStored || entry.record.reported) return
    await this.#attempt('cannot mark an operation as reported', () => this.#options.store.markReported(operationId))
  }

  async #keep(entry: Entry): Promise<void> {
    if (!entry.isDurable) return
    entry.isStored = await this.#attempt('cannot record an operation', () => this.#options.store.write(entry.record))
  }

  /** Removes reported records that are too old or too many. */
  async #prune(): Promise<void> {
    const { clock, store, retentionMs, maxReported = 1_000 } = this.#options
    const reported = [...this.#entries.values()].filter(({ record }) => record.reported)
    const excess = reported.length - maxReported
    const oldest = clock.now().getTime() - retentionMs()
    for (const [index, { record, isStored }] of reported.entries()) {
      if (index >= excess && Date.parse(record.finishedAt) >= oldest) continue
      this.#entries.delete(record.operationId)
      if (!isStored) continue
      await this.#attempt('cannot remove an old operation record', () => store.delete(record.operationId))
    }
  }

  /** The cluster's API may be away: what is in memory counts until it is back. */
  async #attempt(problem: string, call: () => Promise<void>): Promise<boolean> {
    try {
      await call()
      return true
    } catch (error) {
      this.#options.log.warn(problem, { error })
      return false
    }
  }
}
