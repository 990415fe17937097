import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import { pause } from '@orrery/kube/process'
import { MAX_WAIT_SECONDS, type WireOperation } from '../../wire/index.js'
import { type Component, type ComponentHealth, HEALTHY } from '../lifecycle/component.js'
import type { HubClient } from './hub-client.js'
import { type RetryPolicy, retryDelay } from './retry.js'

export interface PollerOptions {
  readonly hub: Pick<HubClient, 'pollOperations' | 'breakerOf'>
  readonly clock: Clock
  readonly log: Logger
  readonly retry: () => RetryPolicy
  readonly waitMs: () => number
  /** The pause between polls if the hub does not wait. */
  readonly pollIntervalMs: () => number
  /** Whether operations can be taken: the agent is registered, knows what it has executed, and has room. */
  readonly isReady: () => boolean
  readonly onOperation: (operation: WireOperation) => void
  /** Called when a poll failed, so that the connection is checked. */
  readonly onFailure: () => void
  /** Default `Math.random`. */
  readonly random?: () => number
}

/** How often it checks whether it can take operations. */
const READY_CHECK_MS = 250
/** A hub that replies faster than this without operations does not wait for them. */
const AT_ONCE_MS = 1_000

/** Asks the hub for operations: by long poll, so that one arrives at once, or periodically if the hub does not wait. */
export class OperationPoller implements Component {
  readonly name = 'operation-poller'
  readonly #options: PollerOptions
  #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #failures = 0
  #problem = ''

  constructor(options: PollerOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController()
    this.#running = this.#loop(this.#stopping.signal)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  health(): ComponentHealth {
    return this.#problem === '' ? HEALTHY : { status: 'warning', message: this.#problem }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { clock, isReady } = this.#options
    while (!signal.aborted) {
      const delay = isReady() ? await this.#poll(signal) : READY_CHECK_MS
      if (delay > 0) await pause(clock, delay, signal)
    }
  }

  /** Polls once. Returns the delay until the next poll. */
  async #poll(signal: AbortSignal): Promise<number> {
    const {
      hub,
      clock,
      log,
      waitMs,
      pollIntervalMs,
      onOperation,
      onFailure,
      retry,
      random = Math.random,
    } = this.#options
    const started = clock.elapsed()
    const waitSeconds = Math.min(Math.round(waitMs() / 1_000), MAX_WAIT_SECONDS)
    try {
      const operations = await hub.pollOperations(waitSeconds, signal)
      this.#failures = 0
      this.#problem = ''
      for (const operation of operations) onOperation(operation)
      const isAnsweredAtOnce = clock.elapsed() - started < AT_ONCE_MS
      return operations.length === 0 && isAnsweredAtOnce ? pollIntervalMs() : 0
    } catch (error) {
      if (signal.aborted) return 0
      this.#failures++
      this.#problem = `operations cannot be fetched: ${(error as Error).message}`
      log.warn('operations not fetched', { error })
      onFailure()
      return Math.max(retryDelay(this.#failures, retry(), random), hub.breakerOf('operations').waitMs)
    }
  }
}
