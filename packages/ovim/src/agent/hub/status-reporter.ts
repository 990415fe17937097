import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import type { StatusReport } from '../../wire/index.js'
import type { AgentStateHolder } from '../lifecycle/agent-state.js'
import { type Component, type ComponentHealth, HEALTHY } from '../lifecycle/component.js'
import { Periodic } from '../lifecycle/periodic.js'
import type { HubClient } from './hub-client.js'
import { type RetryPolicy, retryDelay } from './retry.js'

export interface ReporterOptions {
  readonly hub: Pick<HubClient, 'reportStatus'>
  readonly state: AgentStateHolder
  readonly clock: Clock
  readonly log: Logger
  readonly retry: () => RetryPolicy
  readonly intervalMs: () => number
  readonly report: () => StatusReport
  /** Default `Math.random`. */
  readonly random?: () => number
}

/** Changes within this time are one report. */
const GATHER_MS = 1_000
/** The last report, when the agent stops, must not delay the end for long. */
const LAST_REPORT_MS = 5_000

/**
 * Registers the agent with its first report, and reports its status periodically and soon after every change. Without a
 * hub it tries again with an exponential delay.
 */
export class StatusReporter implements Component {
  readonly name = 'hub-connection'
  readonly #options: ReporterOptions
  readonly #reporting: Periodic
  #failures = 0
  #problem = ''
  #cancelRequest: (() => void) | undefined

  constructor(options: ReporterOptions) {
    this.#options = options
    this.#reporting = new Periodic(
      options.clock,
      () => this.#delay(),
      (signal) => this.#report(signal),
    )
  }

  async start(): Promise<void> {
    this.#reporting.start()
  }

  /** Sends a last report, so that the hub knows that the agent has gone. */
  async stop(): Promise<void> {
    this.#cancelRequest?.()
    await this.#reporting.stop()
    const { hub, state, report, clock, log } = this.#options
    if (!state.isRegistered) return
    const limit = new AbortController()
    const cancel = clock.after(LAST_REPORT_MS, () => limit.abort())
    try {
      await hub.reportStatus({ ...report(), status: 'unavailable', state: 'Disconnected' }, limit.signal)
    } catch (error) {
      log.info('the hub was not told that the agent stops', { error })
    } finally {
      cancel()
    }
  }

  /** The connection to the hub has a state of its own: without a hub the agent is Disconnected, not Degraded. */
  health(): ComponentHealth {
    return this.#problem === '' ? HEALTHY : { status: 'warning', message: this.#problem }
  }

  /** Reports soon, together with other changes. */
  reportSoon(): void {
    if (this.#cancelRequest !== undefined) return
    this.#cancelRequest = this.#options.clock.after(GATHER_MS, () => {
      this.#cancelRequest = undefined
      this.#reporting.wake()
    })
  }

  /** Reports now: registers again. */
  reportNow(): void {
    this.#reporting.wake()
  }

  #delay(): number {
    const { retry, intervalMs, random = Math.random } = this.#options
    return this.#failures === 0 ? intervalMs() : Math.min(retryDelay(this.#failures, retry(), random), intervalMs())
  }

  async #report(signal: AbortSignal): Promise<void> {
    const { hub, state, report, log } = this.#options
    if (!state.isRegistered) state.observe({ hub: 'retrying' })
    try {
      await hub.reportStatus(report(), signal)
      this.#failures = 0
      this.#problem = ''
      state.observe({ hub: 'registered' })
    } catch (error) {
      if (signal.aborted) return
      this.#failures++
      this.#problem = (error as Error).message
      if (this.#failures === 1) log.warn('status not reported', { error })
      state.observe({ hub: 'lost' })
    }
  }
}
