import type { TestContext } from 'node:test'
import { AddonManager, type AgentAddon } from '@orrery/addon'
import { AddOnCondition, AddOnReason, ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import { writeConditions } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import { HubServer } from '../hub/hub-server.js'

/** A hub on which only the controllers of add-ons run, with a clock that the test advances. */
export class AddonHub {
  readonly hub: HubServer
  readonly manager: AddonManager

  private constructor(hub: HubServer, manager: AddonManager) {
    this.hub = hub
    this.manager = manager
  }

  static async start(t: Pick<TestContext, 'after'>, ...addons: readonly AgentAddon[]): Promise<AddonHub> {
    const hub = await HubServer.start(t, { controllers: () => [] })
    const manager = new AddonManager({ client: hub.client, clock: hub.clock, log: silentLogger })
    for (const addon of addons) manager.addAgent(addon)
    // The server must not close before: a test waits for the open requests of the manager otherwise.
    t.after(() => manager.close())
    await manager.start()
    return new AddonHub(hub, manager)
  }

  get client(): HubServer['client'] {
    return this.hub.client
  }

  /** Creates a cluster with its namespace. */
  async cluster(name: string, labels: Record<string, string> = {}): Promise<ManagedCluster> {
    try {
      await this.client.create(Namespace, { metadata: { name } })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
    return this.client.create(ManagedCluster, { metadata: { name, labels }, spec: { hubAcceptsClient: true } })
  }

  /** Creates an add-on of a cluster as the hub does. It is registered unless `registered` is false. */
  async addon(
    namespace: string,
    name: string,
    options: { readonly registered?: boolean; readonly annotations?: Record<string, string> } = {},
  ): Promise<ManagedClusterAddOn> {
    const { registered = true, annotations = {} } = options
    const addon = await this.client.create(ManagedClusterAddOn, {
      metadata: { namespace, name, annotations },
      spec: {},
    })
    if (!registered) return addon
    const { RegistrationApplied } = AddOnCondition
    const reason = AddOnReason.NilRegistration
    return this.report(addon, { type: RegistrationApplied, status: 'True', reason, message: 'registered' })
  }

  /** Writes a condition of an add-on as another controller would. */
  report(
    addon: ManagedClusterAddOn,
    finding: Parameters<typeof writeConditions>[3][number],
  ): Promise<ManagedClusterAddOn> {
    return writeConditions(this.client, ManagedClusterAddOn, addon, [finding], { clock: this.hub.clock })
  }

  /** Waits until the controllers have nothing to do: for what must not happen. */
  async settle(): Promise<void> {
    await this.hub.settle()
    await this.hub.eventually('no controller has anything to do', async () =>
      (this.manager.health?.controllers ?? []).every(({ ready, running }) => ready === 0 && running === 0),
    )
  }
}
