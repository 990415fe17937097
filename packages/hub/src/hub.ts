import { ManagedCluster } from '@orrery/api'
import {
  type Clock,
  type ControllerGroup,
  type ControllerHealth,
  type ControllerSpec,
  EventRecorder,
  type InformerHealth,
  Informers,
  type KubeClient,
  type Leadership,
  type Logger,
  MetricRegistry,
  resourceName,
  silentLogger,
  startControllers,
  systemClock,
} from '@orrery/kube'
import { addClusterMetrics } from './cluster-metrics.js'
import type { HubContext } from './context.js'
import { hubControllers } from './controllers.js'
import { DEFAULT_HUB_FEATURES, type HubFeatures } from './features.js'
import { type HubOptions, resolveHubOptions } from './options.js'

/** How to start a hub. */
export interface HubStartOptions {
  /** A client of the hub's API, embedded or real, that `installHub` has prepared. */
  readonly client: KubeClient
  /** Default the system's. */
  readonly clock?: Clock
  /** Default none. */
  readonly log?: Logger
  /** Default those of Open Cluster Management. */
  readonly features?: Partial<HubFeatures>
  /** Default as documented with each. */
  readonly options?: Partial<HubOptions>
  /** What else is to be done where the hub's own controllers work. Default nothing. */
  readonly controllers?: readonly ControllerSpec[]
  /** Work only while this process leads. Default always. */
  readonly leadership?: Leadership
  /** Where to count. Default a registry of its own. */
  readonly metrics?: MetricRegistry
  /** Gives up starting when aborted. */
  readonly signal?: AbortSignal
}

/** How the parts of a hub are doing. */
export interface HubHealth {
  /** Whether all controllers work, or stand by for another process, and see what happens. */
  readonly isHealthy: boolean
  readonly controllers: readonly ControllerHealth[]
  readonly informers: readonly (InformerHealth & { readonly resource: string })[]
}

/** A running hub. */
export interface Hub {
  readonly metrics: MetricRegistry
  readonly health: HubHealth
  /** Resolves when all controllers are at work for the first time: with leader election, when this process leads. */
  whenRunning(): Promise<void>
  /** Ends all controllers, then what they read from. The client stays open. */
  close(): Promise<void>
}

/** Starts the controllers of a hub. Resolves when they are at work, or wait for this process to lead. */
export async function startHub(start: HubStartOptions): Promise<Hub> {
  const { client, clock = systemClock, log = silentLogger, leadership, metrics = new MetricRegistry(), signal } = start
  const context: HubContext = {
    client,
    clock,
    log,
    informers: new Informers(client, { clock, log }),
    events: new EventRecorder(client, { controller: 'open-cluster-management.io/hub', clock, log }),
    features: { ...DEFAULT_HUB_FEATURES, ...start.features },
    options: resolveHubOptions(start.options),
  }
  const stopMetrics = addClusterMetrics(metrics, context.informers.of(ManagedCluster))
  const controllers = startControllers([...hubControllers(context), ...(start.controllers ?? [])], {
    client,
    clock,
    log,
    metrics,
    ...(leadership !== undefined && { leadership }),
  })
  const close = async () => {
    await controllers.stop()
    await context.events.close()
    await context.informers.close()
    stopMetrics()
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
