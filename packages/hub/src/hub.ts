import type { KubeClient, Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { Leadership } from '@orrery/kube/controller'
import { silentLogger } from '@orrery/kube/log'
import { type Manager, startManager } from '@orrery/kube/manager'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { HubPart } from './context.js'
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

/** A running hub. */
export interface Hub extends Manager {}

/** Starts the controllers of a hub. Resolves when they run, or wait for this process to lead. */
export async function startHub(start: HubStartOptions): Promise<Hub> {
  const { controllers = hubControllers, features, options, log = silentLogger, ...rest } = start
  const ofHub = { features: { ...DEFAULT_HUB_FEATURES, ...features }, options: resolveHubOptions(options) }
  return startManager({
    ...rest,
    log,
    eventSource: 'open-cluster-management.io/hub',
    controllers: (context) => controllers({ ...context, ...ofHub }),
  })
}
