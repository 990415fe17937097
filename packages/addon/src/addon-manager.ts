import type { KubeClient, Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { Leadership } from '@orrery/kube/controller'
import { type Manager, type ManagerHealth, startManager } from '@orrery/kube/manager'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { AgentAddon } from './agent-addon.js'
import { addonClient } from './api-version.js'
import { addonControllers } from './controllers.js'
import { addTo } from './manager/agents.js'
import { addonManagerContext } from './manager/context.js'
import { Trigger } from './manager/trigger.js'

/** The default name of the source of events. */
const ADDON_MANAGER = 'open-cluster-management.io/addon-manager'

/** How to create an `AddonManager`. */
export interface AddonManagerOptions {
  /** A client of the hub. It stays open. */
  readonly client: KubeClient
  /** Run controllers only while this process leads. Default always. */
  readonly leadership?: Leadership
  /** The source of its events. Default `open-cluster-management.io/addon-manager`. */
  readonly eventSource?: string
  /** Default the system's. */
  readonly clock?: Clock
  /** Default warnings and errors to stderr. `silentLogger` writes nothing. */
  readonly log?: Logger
  /** Default a registry of its own. */
  readonly metrics?: MetricRegistry
}

/**
 * Manages add-ons from the hub: installs the agent of each add-on on the clusters that have a ManagedClusterAddOn for it,
 * registers the agent, and reports its health. Corresponds to `AddonManager` of Open Cluster Management's addon-framework.
 */
export class AddonManager {
  readonly #options: AddonManagerOptions
  readonly #agents = new Map<string, AgentAddon>()
  readonly #trigger = new Trigger()
  #starting: Promise<Manager> | undefined
  #running: Manager | undefined

  constructor(options: AddonManagerOptions) {
    this.#options = options
  }

  /** Adds an add-on. Call it before `start`. */
  addAgent(addon: AgentAddon): void {
    if (this.#starting !== undefined) {
      throw new Error(`the manager has started: add the agent of ${JSON.stringify(addon.name)} before start()`)
    }
    addTo(this.#agents, addon)
  }

  /** Starts the controllers. Resolves when they run, or wait for this process to lead. Start and close a manager once. */
  async start(signal?: AbortSignal): Promise<void> {
    if (this.#starting !== undefined) throw new Error('the manager has started already')
    if (this.#agents.size === 0) throw new Error('there is no add-on to manage: call addAgent before start()')
    const { eventSource = ADDON_MANAGER, client, ...rest } = this.#options
    this.#starting = startManager({
      ...rest,
      client: addonClient(client),
      eventSource,
      controllers: (manager) =>
        addonControllers(addonManagerContext(manager, this.#agents, (addons) => this.#trigger.wake(addons))),
      ...(signal !== undefined && { signal }),
    })
    this.#running = await this.#starting
  }

  /**
   * Renders the manifests of an add-on for a cluster again, for example when something outside of the hub has changed that
   * they depend on. Only the manager that has started can do it.
   */
  trigger(clusterName: string, addonName: string): void {
    if (!this.#agents.has(addonName)) {
      throw new Error(`this manager has no add-on ${JSON.stringify(addonName)}: call addAgent before start()`)
    }
    if (this.#starting === undefined) throw new Error('the manager has not started: call start() before trigger()')
    this.#trigger.fire({ namespace: clusterName, name: addonName })
  }

  /** The health of the controllers; undefined before they run. */
  get health(): ManagerHealth | undefined {
    return this.#running?.health
  }

  /** Stops the controllers. */
  async close(): Promise<void> {
    const manager = await this.#starting?.catch(() => undefined)
    await manager?.close()
  }
}
