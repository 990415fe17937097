import { resourceName } from '@orrery/kinds/values'
import { Informers, type KubeClient, type Logger, startControllers } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import type { ControllerGroup, ControllerHealth, Leadership } from '@orrery/kube/controller'
import { EventRecorder } from '@orrery/kube/events'
import type { InformerHealth } from '@orrery/kube/informer'
import { silentLogger } from '@orrery/kube/log'
import { MetricRegistry } from '@orrery/kube/metrics'
import type { HubContext, HubPart } from './context.js'
import { hubControllers } from './controllers.js'
import { DEFAULT_HUB_FEATURES, type HubFeatures } from './features.js'
import { type HubOptions, resolveHubOptions } from './options.js'

/** How to start a hub. */
export interface HubStartOptions {
  /** A client of the hub's API server, embedded or real, that `installHub` has prepared. */
  readonly client: KubeClient
  /** Default the system's. */
  readonly clock?: Clock
  /** Default none. */
  readonly log?: Logger
  /** Default Open Cluster Management's own. */
  readonly features?: Partial<HubFeatures>
  /** Default as documented with each. */
  readonly options?: Partial<HubOptions>
  /**
   * The controllers to run. Default `hubControllers`, those of all parts. Add your own beside them, or run some parts only:
   *
   * ```ts
   * startHub({ client, controllers: (context) => [...hubControllers(context), myController(context)] })
   * ```
   */
  readonly controllers?: HubPart
  /** Run controllers only while this process leads. Default always. */
  readonly leadership?: Leadership
  /** Default a registry of its own. */
  readonly metrics?: MetricRegistry
  /** Stops starting when aborted. */
  readonly signal?: AbortSignal
}

/** The health of a hub's controllers and informers. */
export interface HubHealth {
  /** Whether all controllers run, or stand by for another leader, and all informers watch. */
  readonly isHealthy: boolean
  readonly controllers: readonly ControllerHealth[]
  readonly informers: readonly (InformerHealth & { readonly resource: string })[]
}

/** A running hub. */
export interface Hub {
  readonly metrics: MetricRegistry
  readonly health: HubHealth
  /** Resolves when all controllers run for the first time: with leader election, when this process leads. */
  whenRunning(): Promise<void>
  /** Stops all controllers, then the informers. The client stays open. */
  close(): Promise<void>
}

/** Starts the controllers of a hub. Resolves when they run, or wait for this process to lead. */
export async function startHub(start: HubStartOptions): Promise<Hub> {
  const { client, clock = systemClock, log = silentLogger, leadership, metrics = new MetricRegistry(), signal } = start
  const { controllers: createControllers = hubControllers } = start
  const closing = new AbortController()
  const context: HubContext = {
    client,
    clock,
    log,
    informers: new Informers(client, { clock, log }),
    events: new EventRecorder(client, { controller: 'open-cluster-management.io/hub', clock, log }),
    metrics,
    signal: closing.signal,
    features: { ...DEFAULT_HUB_FEATURES, ...start.features },
    options: resolveHubOptions(start.options),
  }
  const release = async () => {
    await context.events.close()
    await context.informers.close()
    closing.abort()
  }
  let controllers: ControllerGroup
  try {
    const group = { client, clock, log, metrics, ...(leadership !== undefined && { leadership }) }
    controllers = startControllers(createControllers(context), group)
  } catch (error) {
    await release()
    throw error
  }
  const close = async () => {
    await controllers.stop()
    await release()
  }
  const hub: Hub = {
    metrics,
    get health() {
      return healthOf(controllers, context.informers)
    },
    whenRunning: () => controllers.whenRunning(),
    close,
  }
  if (leadership !== undefined) return hub
  const stop = () => void controllers.stop()
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted === true) stop()
  try {
    await controllers.whenRunning()
    return hub
  } catch (error) {
    await close()
    throw signal?.aborted === true ? signal.reason : error
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

function healthOf(group: ControllerGroup, informers: Informers): HubHealth {
  const controllers = group.health
  const seen = [...informers].map(({ kind, health }) => ({ resource: resourceName(kind), ...health }))
  const isHealthy =
    controllers.every(({ state, isBehind }) => (state === 'running' || state === 'standby') && !isBehind) &&
    seen.every(({ failingSince }) => failingSince === undefined)
  return { isHealthy, controllers, informers: seen }
}
