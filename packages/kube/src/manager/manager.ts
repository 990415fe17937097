import type { KubeClient } from '../client/client.js'
import { type Clock, systemClock } from '../clock.js'
import { type ControllerGroup, startControllers } from '../controller/group.js'
import type { Leadership } from '../controller/leadership.js'
import type { ControllerSpec } from '../controller/types.js'
import { EventRecorder } from '../events/recorder.js'
import { Informers } from '../informer/informers.js'
import { type Logger, stderrLogger } from '../log.js'
import { MetricRegistry } from '../metrics/registry.js'
import { healthOf, type ManagerHealth } from './health.js'

/** What the controllers of a program share. */
export interface ManagerContext {
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
  /** The shared informers: the cache of the program. */
  readonly informers: Informers
  readonly events: EventRecorder
  readonly metrics: MetricRegistry
  /** Aborted when the manager has closed. */
  readonly signal: AbortSignal
}

/** How to start a manager. */
export interface ManagerOptions {
  readonly client: KubeClient
  /** The reporting controller of its events, as a qualified name: `example.com/placement`. */
  readonly eventSource: string
  /** Creates the controllers to run. */
  readonly controllers: (context: ManagerContext) => readonly ControllerSpec[]
  /** Run controllers only while this process leads. Default always. */
  readonly leadership?: Leadership
  /** Default the system's. */
  readonly clock?: Clock
  /** Default warnings and errors to stderr. `silentLogger` writes nothing. */
  readonly log?: Logger
  /** Default a registry of its own. */
  readonly metrics?: MetricRegistry
  /** Stops starting when aborted. */
  readonly signal?: AbortSignal
}

/** Controllers that run, with their informers and events. This corresponds to the manager of controller-runtime. */
export interface Manager {
  readonly metrics: MetricRegistry
  readonly health: ManagerHealth
  /** Resolves when all controllers run for the first time: with leader election, when this process leads. */
  whenRunning(): Promise<void>
  /** Stops all controllers, then the events and the informers. The client stays open. */
  close(): Promise<void>
}

/** Starts controllers over one cache. Resolves when they run, or wait for this process to lead. */
export async function startManager(options: ManagerOptions): Promise<Manager> {
  const { client, eventSource, leadership, signal } = options
  const { clock = systemClock, log = stderrLogger, metrics = new MetricRegistry() } = options
  const closing = new AbortController()
  const context: ManagerContext = {
    client,
    clock,
    log,
    informers: new Informers(client, { clock, log }),
    events: new EventRecorder(client, { controller: eventSource, clock, log }),
    metrics,
    signal: closing.signal,
  }
  const release = async () => {
    await context.events.close()
    await context.informers.close()
    closing.abort()
  }
  let controllers: ControllerGroup
  try {
    const group = { client, clock, log, metrics, ...(leadership !== undefined && { leadership }) }
    controllers = startControllers(options.controllers(context), group)
  } catch (error) {
    await release()
    throw error
  }
  const close = async () => {
    await controllers.stop()
    await release()
  }
  const manager: Manager = {
    metrics,
    get health() {
      return healthOf(controllers, context.informers)
    },
    whenRunning: () => controllers.whenRunning(),
    close,
  }
  if (leadership !== undefined) return manager
  const stop = () => void controllers.stop()
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted === true) stop()
  try {
    await controllers.whenRunning()
    return manager
  } catch (error) {
    await close()
    throw signal?.aborted === true ? signal.reason : error
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}
