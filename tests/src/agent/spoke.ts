import type { TestContext } from 'node:test'
import { type Agent, type AgentOptions, bootstrapKubeconfig, startAgent } from '@orrery/agent'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import { Node } from '@orrery/kinds'
import { createLogger, KubeClient } from '@orrery/kube'
import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import { HubServer, type HubServerOptions } from '../hub/hub-server.js'
import { startPreparedServer } from '../support/prepared-server.js'
import { afterwards } from '../support/server.js'
import { HubLink } from './hub-link.js'

export const HUB_SERVER = 'https://hub.example:6443'

/** A cluster in the process, for agents. */
export class Spoke {
  readonly client: KubeClient
  readonly log: string[] = []
  /** Responses instead of the server's, by path. */
  readonly faults = new Map<string, () => Promise<HttpResponse>>()
  readonly #t: Pick<TestContext, 'after'>
  readonly #clock: Clock
  readonly #server: ApiServer

  private constructor(t: Pick<TestContext, 'after'>, clock: Clock, server: ApiServer) {
    this.#t = t
    this.#clock = clock
    this.#server = server
    this.client = new KubeClient(this.#transport())
  }

  static async start(t: Pick<TestContext, 'after'>, clock: Clock): Promise<Spoke> {
    const options = { host: false, clock, namespaceDeletionGraceSeconds: 0 } as const
    return Spoke.#on(t, clock, await startPreparedServer('spoke', options))
  }

  /** A cluster without the CRDs of an agent. */
  static async startEmpty(t: Pick<TestContext, 'after'>, clock: Clock): Promise<Spoke> {
    return Spoke.#on(t, clock, await startApiServer({ host: false, clock, namespaceDeletionGraceSeconds: 0 }))
  }

  static #on(t: Pick<TestContext, 'after'>, clock: Clock, server: ApiServer): Spoke {
    afterwards(t, () => server.close())
    return new Spoke(t, clock, server)
  }

  /** Starts an agent on this cluster, which is closed before the cluster. */
  async startAgent(link: HubLink, options: Partial<AgentOptions> = {}): Promise<Agent> {
    const log = createLogger({ level: 'debug', format: 'text', write: (line) => this.log.push(line) })
    const agent = await startAgent({
      spoke: this.client,
      clock: this.#clock,
      log,
      bootstrap: { kubeconfigs: [await hubBootstrap()] },
      connectHub: link.connect,
      parts: [],
      ...options,
    })
    afterwards(this.#t, () => agent.close())
    return agent
  }

  addNode(name: string, amounts: Record<string, string>, unschedulable = false): Promise<Node> {
    const status = { capacity: amounts, allocatable: amounts }
    return this.client
      .create(Node, { metadata: { name }, spec: { unschedulable } })
      .then((node) => this.client.update(Node, { ...node, status }, { subresource: 'status' }))
  }

  #transport(): Transport {
    const local = this.#server.client().transport
    return {
      request: (request: HttpRequest) => this.faults.get(request.path)?.() ?? local.request(request),
    }
  }
}

/** A bootstrap kubeconfig for a hub. */
export function hubBootstrap(server = HUB_SERVER, hubName = 'hub'): Promise<string> {
  return bootstrapKubeconfig({ server, token: 'abcdef.0123456789abcdef', hubName })
}

/** A hub, a cluster, and the connection between them. */
export interface World {
  readonly hub: HubServer
  readonly spoke: Spoke
  readonly link: HubLink
}

/**
 * Starts a hub and a cluster with the clock of the hub. At the end of the test, agents are closed first and the hub
 * last.
 */
export async function startWorld(t: Pick<TestContext, 'after'>, options: HubServerOptions = {}): Promise<World> {
  const hub = await HubServer.start({ after: (step: () => Promise<void>) => afterwards(t, step) } as typeof t, options)
  const spoke = await Spoke.start(t, hub.clock)
  return { hub, spoke, link: new HubLink().add(HUB_SERVER, hub) }
}
