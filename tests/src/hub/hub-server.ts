import type { TestContext } from 'node:test'
import { AGENT_SUBJECT_PREFIX, addOnConverters, BOOTSTRAP_GROUP, MANAGED_CLUSTERS_GROUP } from '@orrery/api'
import type { ApiServer, ApiServerOptions } from '@orrery/apiserver'
import { BOOTSTRAP_TOKEN_USER, type Hub, type HubStartOptions, hubAdmission, startHub } from '@orrery/hub'
import type { ApiObject, Kind, ObjectRef } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { startPreparedServer } from '../support/prepared-server.js'
import { whenQuiet } from '../support/quiet.js'

export interface HubServerOptions extends Pick<HubStartOptions, 'features' | 'options' | 'controllers'> {
  readonly admission?: NonNullable<ApiServerOptions['admission']>
}

/** The delay between two checks, in real time and by the hub's clock: retries wait for the latter. */
const PAUSE_MILLISECONDS = 2

/** A hub in the process, with a clock that the test advances. */
export class HubServer {
  readonly clock: FakeClock
  readonly server: ApiServer
  /** The administrator's client. */
  readonly client: KubeClient
  readonly #options: HubServerOptions
  #hub: Hub | undefined

  private constructor(clock: FakeClock, server: ApiServer, options: HubServerOptions) {
    this.clock = clock
    this.server = server
    this.client = server.client()
    this.#options = options
  }

  /** Starts a hub that is closed at the end of the test. */
  static async start(t: Pick<TestContext, 'after'>, options: HubServerOptions = {}): Promise<HubServer> {
    const clock = new FakeClock()
    // A hub that auto-approves certificates has to know who created a cluster.
    const rules = options.features?.ManagedClusterAutoApproval ? hubAdmission(options) : undefined
    const { admission = rules?.plugins ?? (() => []) } = options
    const server = await startPreparedServer('hub', {
      host: false,
      clock,
      namespaceDeletionGraceSeconds: 0,
      converters: addOnConverters,
      admission,
    })
    const hub = new HubServer(clock, server, options)
    rules?.useClient(hub.client)
    t.after(async () => {
      await hub.stopControllers()
      await server.close()
    })
    await hub.startControllers()
    return hub
  }

  get controllers(): Hub {
    if (this.#hub === undefined) throw new Error('the controllers are not running')
    return this.#hub
  }

  async startControllers(): Promise<void> {
    const { admission: _, ...start } = this.#options
    this.#hub = await startHub({ client: this.client, clock: this.clock, ...start })
  }

  async stopControllers(): Promise<void> {
    await this.#hub?.close()
    this.#hub = undefined
  }

  /** A client that acts as a user. */
  as(username: string, ...groups: string[]): KubeClient {
    const identity = { username, uid: '', groups: [...groups, 'system:authenticated'], extra: {} }
    return this.server.client({ identity })
  }

  /** A client that acts as the agent of a cluster. */
  asAgent(cluster: string, agent = 'agent1'): KubeClient {
    const group = `${AGENT_SUBJECT_PREFIX}${cluster}`
    return this.as(`${group}:${agent}`, group, MANAGED_CLUSTERS_GROUP)
  }

  /** A client that acts as a user with the bootstrap token. */
  asBootstrapper(): KubeClient {
    return this.as(BOOTSTRAP_TOKEN_USER, 'system:bootstrappers', BOOTSTRAP_GROUP)
  }

  /** Waits until a condition holds. The clock advances a little meanwhile, for retries. */
  async eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
    await eventually(what, holds, {
      intervalMilliseconds: PAUSE_MILLISECONDS,
      meanwhile: () => this.clock.advance(PAUSE_MILLISECONDS),
    })
  }

  /** The object, as soon as it matches. */
  async when<T extends ApiObject>(
    kind: Kind<T, object>,
    ref: ObjectRef,
    holds: (object: T) => boolean = () => true,
  ): Promise<T> {
    let found: T | undefined
    try {
      await this.eventually(`${kind.kind} ${ref.name} is as wanted`, async () => {
        found = await this.client.find(kind, ref)
        return found !== undefined && holds(found)
      })
    } catch (error) {
      throw new Error(`${(error as Error).message}: ${JSON.stringify(found)}`)
    }
    return found as T
  }

  async whenGone<T extends ApiObject>(kind: Kind<T, object>, ref: ObjectRef): Promise<void> {
    await this.eventually(
      `${kind.kind} ${ref.name} is gone`,
      async () => (await this.client.find(kind, ref)) === undefined,
    )
  }

  /** Waits until everything has settled: for what must not happen. */
  async settle(): Promise<void> {
    for (let round = 0; round < 10; round++) await this.#pause()
    await this.eventually('no controller has anything to do', async () =>
      this.controllers.health.controllers.every(({ ready, running }) => ready === 0 && running === 0),
    )
  }

  async #pause(): Promise<void> {
    await whenQuiet(PAUSE_MILLISECONDS)
    this.clock.advance(PAUSE_MILLISECONDS)
  }
}
