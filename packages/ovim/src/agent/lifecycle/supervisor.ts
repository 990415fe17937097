import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import type { HealthCheck } from '../../wire/index.js'
import type { Component, ComponentHealth } from './component.js'

export interface SupervisorOptions {
  readonly components: readonly Component[]
  readonly clock: Clock
  readonly log: Logger
  /** After this many checks in a row that found it critical, a component is restarted. */
  readonly failureThreshold: () => number
  /** Called when a component is restarted. */
  readonly onRestart?: (component: string) => void
}

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000
/** A component that does not stop within this time is left alone. Operations in progress get 30 s. */
const STOP_LIMIT_MS = 40_000

type Phase = 'stopped' | 'starting' | 'running' | 'failed'

interface Supervised {
  readonly component: Component
  phase: Phase
  /** Checks in a row that found it critical. */
  strikes: number
  /** Starts in a row that failed, or that ended in a restart. */
  failures: number
  problem: string
  cancelRetry: () => void
}

/** Starts components in order, stops them in reverse, and restarts those that fail, with an exponential delay. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #parts: readonly Supervised[]
  readonly #stopping = new AbortController()
  #starts = new Set<Promise<void>>()

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#parts = options.components.map((component) => ({
      component,
      phase: 'stopped',
      strikes: 0,
      failures: 0,
      problem: '',
      cancelRetry: () => undefined,
    }))
  }

  /** Starts all of them. One that fails to start does not keep the others from it. */
  async start(): Promise<void> {
    for (const part of this.#parts) await this.#start(part)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const part of this.#parts) part.cancelRetry()
    await Promise.allSettled(this.#starts)
    for (const part of [...this.#parts].reverse()) {
      if (part.phase === 'running') await this.#stopOne(part)
    }
  }

  /** Checks all components, and restarts those that were critical too often in a row. */
  check(): HealthCheck[] {
    return this.#parts.map((part) => {
      const { status, message } = this.#healthOf(part)
      if (part.phase === 'running') this.#count(part, status === 'critical', message)
      return {
        component: part.component.name,
        status,
        ...(message !== undefined && { message }),
        last_checked: this.#options.clock.now().toISOString(),
      }
    })
  }

  /** How many components have failed, and how many of those are critical for the agent. */
  failing(): { failing: number; failingCritical: number } {
    const failed = this.#parts.filter((part) => this.#healthOf(part).status === 'critical')
    return { failing: failed.length, failingCritical: failed.filter((part) => part.component.critical === true).length }
  }

  /** Restarts a component now. Returns whether there is one of this name. */
  restart(name: string): boolean {
    const part = this.#parts.find(({ component }) => component.name === name)
    if (part === undefined) return false
    if (part.phase === 'running') this.#restart(part, 'restart requested')
    return true
  }

  #healthOf(part: Supervised): ComponentHealth {
    if (part.phase === 'running') {
      try {
        return part.component.health()
      } catch (error) {
        return { status: 'critical', message: (error as Error).message }
      }
    }
    if (part.phase === 'failed') return { status: 'critical', message: part.problem }
    return { status: 'warning', message: part.phase === 'starting' ? 'starting' : 'stopped' }
  }

  #count(part: Supervised, isCritical: boolean, message: string | undefined): void {
    part.strikes = isCritical ? part.strikes + 1 : 0
    if (!isCritical) part.failures = 0
    if (part.strikes >= this.#options.failureThreshold()) this.#restart(part, message ?? 'critical')
  }

  #restart(part: Supervised, reason: string): void {
    part.problem = reason
    part.phase = 'failed'
    this.#track(this.#stopOne(part).then(() => this.#retryLater(part)))
  }

  async #start(part: Supervised): Promise<void> {
    if (this.#stopping.signal.aborted) return
    const { name } = part.component
    part.phase = 'starting'
    part.strikes = 0
    try {
      await part.component.start(this.#stopping.signal)
      part.phase = 'running'
    } catch (error) {
      part.phase = 'failed'
      part.problem = (error as Error).message
      this.#options.log.warn('component failed to start', { component: name, error })
      this.#retryLater(part)
    }
  }

  #retryLater(part: Supervised): void {
    if (this.#stopping.signal.aborted) return
    const delay = Math.min(FIRST_DELAY_MS * 2 ** part.failures++, MAX_DELAY_MS)
    this.#options.log.warn('component restarts', {
      component: part.component.name,
      problem: part.problem,
      delayMs: delay,
    })
    this.#options.onRestart?.(part.component.name)
    part.cancelRetry = this.#options.clock.after(delay, () => this.#track(this.#start(part)))
  }

  async #stopOne(part: Supervised): Promise<void> {
    const { component } = part
    const stopped = component.stop().catch((error: unknown) => {
      this.#options.log.warn('component failed to stop', { component: component.name, error })
    })
    let cancel = (): void => undefined
    const limit = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(STOP_LIMIT_MS, resolve)
    })
    await Promise.race([stopped, limit])
    cancel()
  }

  #track(start: Promise<void>): void {
    this.#starts.add(start)
    void start.finally(() => this.#starts.delete(start))
  }
}
