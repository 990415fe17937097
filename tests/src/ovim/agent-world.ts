import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { ApiServer } from '@orrery/apiserver'
import type { ApiObject, JsonObject, Kind, ObjectRef } from '@orrery/kinds'
import { KubeClient } from '@orrery/kube'
import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'
import { createLogger, silentLogger } from '@orrery/kube/log'
import { eventually, type FakeClock } from '@orrery/kube/testing'
import { connect } from '@orrery/kube/transport'
import { VirtualMachine, VirtualMachineInstance } from '@orrery/node/kubevirt'
import { Operation, VirtualDataCenter, VirtualMachineRequest, Zone } from '@orrery/ovim'
import { LiveConfig, type OvimAgent, startOvimAgent } from '@orrery/ovim/agent'
import { startVmServer } from '../kubevirt/vm-cluster.js'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { OvimFixture } from './ovim-fixture.js'

export const ZONE = 'east'
const ORGANIZATION = 'acme'
export const ORG = 'org-acme'
export const WORKLOAD = 'vdc-acme-dev'
const STEP = 2

/** A reply instead of the server's: undefined passes the request on. */
export type Intercept = (request: HttpRequest) => { readonly status: number; readonly body: object } | undefined

/** Passes requests on until it is cut: what a process that was killed can still do. */
class Wire implements Transport {
  readonly #next: () => Transport
  readonly requests: HttpRequest[] = []
  isCut = false
  intercept: Intercept = () => undefined

  constructor(next: () => Transport) {
    this.#next = next
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    if (this.isCut) throw new Error('the connection is cut')
    this.requests.push(request)
    const instead = this.intercept(request)
    if (instead === undefined) return this.#next().request(request)
    const bytes = Buffer.from(JSON.stringify(instead.body))
    const body = (async function* () {
      yield bytes
    })()
    return { status: instead.status, headers: {}, body, bytes: async () => bytes }
  }
}

/** How the cluster runs. */
type WorldOptions = Pick<Parameters<typeof startVmServer>[1], 'listens' | 'machines'>

export interface RunningAgent {
  readonly agent: OvimAgent
  readonly hub: Wire
  readonly spoke: Wire
  /** Ends everything it does, without a chance to finish. */
  kill(): void
}

/** The real hub service, and a real agent on an embedded cluster with KubeVirt, on one clock that the test advances. */
export class AgentWorld {
  readonly ovim: OvimFixture
  readonly clock: FakeClock
  readonly spoke: ApiServer
  readonly client: KubeClient
  readonly #t: TestContext
  readonly #token: string
  readonly #caFile: string

  private constructor(t: TestContext, ovim: OvimFixture, spoke: ApiServer, token: string, caFile: string) {
    this.#t = t
    this.ovim = ovim
    this.clock = ovim.clock
    this.spoke = spoke
    this.client = spoke.client()
    this.#token = token
    this.#caFile = caFile
  }

  static async start(t: TestContext, { listens = false, machines = {} }: WorldOptions = {}): Promise<AgentWorld> {
    const ovim = await OvimFixture.start(t)
    // Starting and stopping retry what conflicts, after a delay of the clock: nobody else advances it then.
    const passing = { timer: undefined as NodeJS.Timeout | undefined }
    afterwards(t, () => clearInterval(passing.timer))
    const { server } = await ovim.whileTimePasses(startVmServer(t, { clock: ovim.clock, listens, machines }))
    afterwards(t, () => {
      passing.timer = setInterval(() => ovim.clock.advance(STEP), STEP)
    })
    await ovim.agent(ZONE)
    const token = await ovim.token(`agent-${ZONE}`)
    const caFile = join(await temporaryDirectory(t), 'ca.crt')
    await writeFile(caFile, ovim.authority)
    return new AgentWorld(t, ovim, server, token, caFile)
  }

  environment(): Record<string, string> {
    return {
      OVIM_AGENT_ID: 'agent-1',
      OVIM_CLUSTER_ID: ZONE,
      OVIM_HUB_ENDPOINT: this.ovim.url,
      OVIM_HUB_TOKEN: this.#token,
      OVIM_HUB_CA_PATH: this.#caFile,
      OVIM_API_ADDRESS: '127.0.0.1',
      OVIM_API_PORT: '0',
    }
  }

  /** Starts an agent. Requests go to the hub service of the moment, which a test can replace. */
  async startAgent(
    overrides: Record<string, string> = {},
    { intercept = () => undefined }: { readonly intercept?: Intercept } = {},
  ): Promise<RunningAgent> {
    const transports = new Map<string, Transport>()
    const hub = new Wire(() => {
      const { url: server, authority: text } = this.ovim
      const known = transports.get(server)
      const config = { server, certificateAuthority: { text }, token: this.#token }
      const transport = known ?? connect(config, { retry: false })
      transports.set(server, transport)
      return transport
    })
    const spoke = new Wire(() => this.client.transport)
    spoke.intercept = intercept
    const starting = startOvimAgent({
      config: new LiveConfig({ environment: { ...this.environment(), ...overrides }, version: 'v1' }),
      spoke: new KubeClient(spoke),
      log: process.env.TEST_LOG === undefined ? silentLogger : createLogger({ level: 'debug', format: 'text' }),
      clock: this.clock,
      hubTransport: hub,
    })
    const agent = await this.ovim.whileTimePasses(starting)
    const kill = () => {
      hub.isCut = true
      spoke.isCut = true
    }
    afterwards(this.#t, async () => {
      kill()
      const stopped = agent.stop().then(() => true)
      await this.eventually('the agent stops', () => Promise.race([stopped, Promise.resolve(false)]))
      for (const transport of transports.values()) transport.close?.()
    })
    return { agent, hub, spoke, kill }
  }

  /** An agent that is registered, an organization with a data center, and a template. */
  async withVdc(overrides: Record<string, string> = {}, quota: object = {}): Promise<RunningAgent> {
    const running = await this.startAgent(overrides)
    await this.eventually('the agent is Healthy', () => running.agent.state === 'Healthy')
    await this.ovim.organization(ORGANIZATION)
    await this.ovim.template()
    await this.whenOnHub(Zone, { name: ZONE }, ({ status }) => status?.agent?.status === 'healthy')
    await this.ovim.client.create(VirtualDataCenter, {
      metadata: { namespace: ORG, name: 'dev' },
      spec: { zoneId: ZONE, quota: { cpu: '8', memory: '16Gi', ...quota } },
    })
    await this.whenOnHub(VirtualDataCenter, { namespace: ORG, name: 'dev' }, ({ status }) => status?.phase === 'Active')
    return running
  }

  request(name: string, spec: object = {}): Promise<VirtualMachineRequest> {
    const metadata = { namespace: ORG, name }
    return this.ovim.client.create(VirtualMachineRequest, {
      metadata,
      spec: { vdc: 'dev', template: 'small', ...spec },
    })
  }

  requestIs(name: string, phase: string): Promise<VirtualMachineRequest> {
    return this.whenOnHub(VirtualMachineRequest, { namespace: ORG, name }, ({ status }) => status?.phase === phase)
  }

  machineIs(name: string, printableStatus: string): Promise<VirtualMachine> {
    return this.when(this.client, VirtualMachine, { namespace: WORKLOAD, name }, ({ status }) => {
      return status?.printableStatus === printableStatus
    })
  }

  instance(name: string): Promise<VirtualMachineInstance | undefined> {
    return this.client.find(VirtualMachineInstance, { namespace: WORKLOAD, name })
  }

  /** Queues an operation by hand. */
  async queue(type: Operation['spec']['type'], payload: JsonObject, more: object = {}): Promise<string> {
    const target = { kind: 'Zone' as const, name: ZONE }
    const metadata = { namespace: ORG, generateName: 'op-' }
    const created = await this.ovim.client.create(Operation, {
      metadata,
      spec: { type, zone: ZONE, target, payload, ...more },
    } as never)
    return created.metadata.name
  }

  /** Waits for the end of an operation. */
  async finished(name: string): Promise<NonNullable<Operation['status']>> {
    const { status } = await this.whenOnHub(Operation, { namespace: ORG, name }, ({ status }) => {
      return status?.phase === 'Completed' || status?.phase === 'Failed'
    })
    return status ?? {}
  }

  async run(type: Operation['spec']['type'], payload: JsonObject, more: object = {}) {
    return this.finished(await this.queue(type, payload, more))
  }

  whenOnHub<T extends ApiObject>(kind: Kind<T, object>, ref: ObjectRef, holds: (object: T) => boolean): Promise<T> {
    return this.when(this.ovim.client, kind, ref, holds)
  }

  async when<T extends ApiObject>(
    client: KubeClient,
    kind: Kind<T, object>,
    ref: ObjectRef,
    holds: (object: T) => boolean,
  ): Promise<T> {
    let found: T | undefined
    try {
      await this.eventually(`${kind.kind} ${ref.name} is as wanted`, async () => {
        found = await client.find(kind, ref)
        return found !== undefined && holds(found)
      })
    } catch (error) {
      throw new Error(`${(error as Error).message}: ${JSON.stringify(found)}`)
    }
    return found as T
  }

  async eventually(what: string, holds: () => unknown, step = 20): Promise<void> {
    await eventually(what, async () => Boolean(await holds()), {
      intervalMilliseconds: STEP,
      meanwhile: () => this.clock.advance(step),
    })
  }
}
