import { once } from 'node:events'
import type { KubeClient } from '../client/client.js'
import { type Clock, systemClock } from '../clock.js'
import { type Logger, stderrLogger } from '../log.js'
import type { MetricRegistry } from '../metrics/registry.js'
import { Controller, type ControllerEnvironment } from './controller.js'
import { type ControllerHealth, idleHealth } from './health.js'
import { type Leadership, workWhileLeading } from './leadership.js'
import type { ControllerSpec } from './types.js'

export interface ControllerGroupOptions {
  readonly client: KubeClient
  /** Default: the system's. */
  readonly clock?: Clock
  /** Default warnings and errors to stderr. `silentLogger` writes nothing. */
  readonly log?: Logger
  /** The registry for metrics. Default none. */
  readonly metrics?: MetricRegistry
  /** Run only while this process leads. Default always. */
  readonly leadership?: Leadership
  /** Log reconciles that take longer. Default 60 s. */
  readonly slowMilliseconds?: number
  /** Report the controller as behind if the next object waits longer. Default 30 s. */
  readonly behindMilliseconds?: number
  /** How long to wait for reconciles when stopping. Default 30 s. */
  readonly stopMilliseconds?: number
}

/** Starts controllers. The caller owns the informers, and closes them after the group has stopped. */
export function startControllers(specs: readonly ControllerSpec[], options: ControllerGroupOptions): ControllerGroup {
  return new ControllerGroup(specs, options)
}

/** Controllers that run together with one client. */
export class ControllerGroup {
  readonly #specs: readonly ControllerSpec[]
  readonly #environment: ControllerEnvironment
  readonly #stopping = new AbortController()
  readonly #firstRunning: Promise<void>
  readonly #done: Promise<void>
  #running: () => void = () => undefined
  #cannotRun: (error: unknown) => void = () => undefined
  #controllers: readonly Controller[] | undefined

  constructor(specs: readonly ControllerSpec[], options: ControllerGroupOptions) {
    checkSpecs(specs)
    const { clock = systemClock, log = stderrLogger, leadership } = options
    this.#specs = specs
    this.#environment = {
      client: options.client,
      clock,
      log,
      metrics: options.metrics,
      slowMilliseconds: options.slowMilliseconds ?? 60_000,
      behindMilliseconds: options.behindMilliseconds ?? 30_000,
      stopMilliseconds: options.stopMilliseconds ?? 30_000,
    }
    this.#firstRunning = new Promise((resolve, reject) => {
      this.#running = resolve
      this.#cannotRun = reject
    })
    // Avoids an unhandled rejection if no caller waits.
    this.#firstRunning.catch(() => undefined)
    const { signal } = this.#stopping
    const work = (until: AbortSignal) => this.#work(until)
    this.#done = leadership === undefined ? work(signal) : workWhileLeading(work, { leadership, clock, log, signal })
  }

  /**
   * Resolves when all controllers run for the first time; rejects if one cannot start, or the group is stopped first.
   */
  whenRunning(): Promise<void> {
    return this.#firstRunning
  }

  /** The health of each controller. */
  get health(): ControllerHealth[] {
    if (this.#controllers !== undefined) return this.#controllers.map(({ health }) => health)
    const state = this.#stopping.signal.aborted ? 'stopped' : 'standby'
    return this.#specs.map(({ name }) => idleHealth(name, state))
  }

  /** Stops all controllers. Resolves when no reconcile is in progress, or the limit is over. */
  stop(): Promise<void> {
    this.#stopping.abort()
    this.#cannotRun(new Error('the controllers were stopped'))
    return this.#done
  }

  async #work(until: AbortSignal): Promise<void> {
    if (until.aborted) return
    const controllers = this.#specs.map((spec) => new Controller(spec, this.#environment))
    this.#controllers = controllers
    const ended = once(until, 'abort')
    Promise.all(controllers.map((controller) => controller.start())).then((working) => {
      if (working.every(Boolean)) this.#running()
    }, this.#cannotRun)
    await ended
    await Promise.all(controllers.map((controller) => controller.stop()))
    this.#controllers = undefined
  }
}

function checkSpecs(specs: readonly ControllerSpec[]): void {
  const names = new Set<string>()
  for (const { name, concurrency = 1 } of specs) {
    if (names.has(name)) throw new TypeError(`two controllers have the name ${JSON.stringify(name)}: choose another`)
    if (!(concurrency >= 1)) throw new RangeError(`controller ${name}: the concurrency must be at least 1`)
    names.add(name)
  }
}
