import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Agent, type AgentOptions, bootstrapKubeconfig, startAgent } from '@orrery/agent'
import {
  AGENT_NAMESPACE,
  AppliedManifestWork,
  addOnConverters,
  CLUSTER_NAME_LABEL,
  HUB_KUBECONFIG_SECRET,
  ManagedCluster,
  ManifestWork,
} from '@orrery/api'
import { type ApiServer, restore, startApiServer } from '@orrery/apiserver'
import { DEFAULT_HUB_FEATURES, type Hub, hubAdmission, installHub, startHub } from '@orrery/hub'
import { CertificateSigningRequest, ConfigMap, type KubeObject, Secret } from '@orrery/kinds'
import { createLogger, KubeClient } from '@orrery/kube'
import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import { approveRequest, isApproved } from '@orrery/kube/csr'
import type { ClientConfig } from '@orrery/kube/kubeconfig'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { connect } from '@orrery/kube/transport'
import { isAvailable, trusting } from '../agent/joining.js'
import { isApplied } from '../agent/work-pair.js'
import { copyPrepared, startPreparedServer } from '../support/prepared-server.js'
import { whenQuiet } from '../support/quiet.js'
import { afterwards, temporaryDirectory } from '../support/server.js'

type Test = Pick<TestContext, 'after'>

const PAUSE_MILLISECONDS = 4

/** A hub that listens with TLS and keeps its data: it can be stopped, restarted and restored. */
export class TlsHub {
  /** Starts at the real time, which TLS uses. */
  readonly clock = new FakeClock(new Date())
  readonly #t: Test
  readonly #directory: string
  #server: ApiServer | undefined
  #hub: Hub | undefined
  #client: KubeClient | undefined
  #port = 0
  #bootstrapKubeconfig = ''

  private constructor(t: Test, directory: string) {
    this.#t = t
    this.#directory = directory
  }

  /** Starts a hub that accepts every cluster with the bootstrap token. It is stopped at the end of the test. */
  static async start(t: Test): Promise<TlsHub> {
    const hub = new TlsHub(t, await temporaryDirectory(t))
    await copyPrepared('hub', hub.clock, hub.#data)
    afterwards(t, () => hub.stop())
    await hub.resume()
    return hub
  }

  get #data(): string {
    return join(this.#directory, 'data')
  }

  /** The administrator's client. */
  get client(): KubeClient {
    if (this.#client === undefined) throw new Error('the hub is down')
    return this.#client
  }

  get url(): string {
    return this.#server?.url ?? ''
  }

  /** The bootstrap kubeconfig of agents. */
  get bootstrapKubeconfig(): string {
    return this.#bootstrapKubeconfig
  }

  /** Restarts the hub with its data, at its address. */
  async resume(): Promise<void> {
    const { clock } = this
    const data = { dataDirectory: this.#data, port: this.#port }
    const admission = hubAdmission({ features: DEFAULT_HUB_FEATURES })
    const rules = { converters: addOnConverters, admission: admission.plugins }
    const server = await startApiServer({ ...data, ...rules, clock })
    this.#server = server
    this.#port = server.port
    this.#client = server.client()
    admission.useClient(this.#client)
    const { bootstrapToken: token = '' } = await installHub(this.#client, { bootstrapToken: true })
    this.#bootstrapKubeconfig = await bootstrapKubeconfig({
      server: server.url,
      ca: server.certificateAuthority,
      token,
    })
    this.#hub = await startHub({ client: this.#client, clock, ...trusting })
  }

  async stop(): Promise<void> {
    await this.#hub?.close()
    await this.#server?.close()
    this.#hub = undefined
    this.#server = undefined
    this.#client = undefined
  }

  async backup(): Promise<string> {
    const file = join(this.#directory, 'hub.backup')
    await this.#server?.backup(file)
    return file
  }

  /** Restores a stopped hub. */
  async restore(file: string): Promise<void> {
    await restore(file, this.#data, { force: true })
  }

  /** A client with the credentials of an agent. */
  async as(spoke: TlsSpoke): Promise<KubeClient> {
    const { data } = await spoke.client.get(Secret, { namespace: AGENT_NAMESPACE, name: HUB_KUBECONFIG_SECRET })
    const pem = (key: string) => ({ text: Buffer.from(data?.[key] ?? '', 'base64').toString('utf8') })
    const certificateAuthority = { text: this.#server?.certificateAuthority ?? '' }
    const credentials = { clientCertificate: pem('tls.crt'), clientKey: pem('tls.key') }
    return this.#with({ server: this.url, certificateAuthority, ...credentials })
  }

  /** A client with the bootstrap token. */
  asBootstrapper(): KubeClient {
    const token = /token: (\S+)/.exec(this.#bootstrapKubeconfig)?.[1] ?? ''
    const certificateAuthority = { text: this.#server?.certificateAuthority ?? '' }
    return this.#with({ server: this.url, certificateAuthority, token })
  }

  #with(config: ClientConfig): KubeClient {
    const client = new KubeClient(connect(config))
    afterwards(this.#t, () => client.close())
    return client
  }

  async giveWork(cluster: string, name: string, manifests: readonly KubeObject[]): Promise<ManifestWork> {
    const spec = { workload: { manifests } }
    return this.client.create(ManifestWork, { metadata: { namespace: cluster, name }, spec } as never)
  }

  /** Waits until a condition holds. The clock advances meanwhile, for retries. */
  async eventually(what: string, holds: () => boolean | Promise<boolean>, stepMilliseconds = 100): Promise<void> {
    await eventually(what, holds, {
      intervalMilliseconds: PAUSE_MILLISECONDS,
      meanwhile: () => this.clock.advance(stepMilliseconds),
    })
  }

  async whenApplied(cluster: string, name: string): Promise<ManifestWork> {
    let work: ManifestWork | undefined
    await this.eventually(`${name} is applied on ${cluster}`, async () => {
      work = await this.client.find(ManifestWork, { namespace: cluster, name })
      return work !== undefined && isApplied(work)
    })
    return work as ManifestWork
  }

  whenAvailable(cluster: string, stepMilliseconds?: number): Promise<void> {
    const isSo = async () => {
      const found = await this.client.find(ManagedCluster, { name: cluster })
      return found !== undefined && isAvailable(found)
    }
    return this.eventually(`${cluster} is available`, isSo, stepMilliseconds)
  }

  /** Advances the clock in small steps. */
  async wait(milliseconds: number, stepMilliseconds = 30_000): Promise<void> {
    for (let rest = milliseconds; rest > 0; rest -= stepMilliseconds) {
      this.clock.advance(Math.min(rest, stepMilliseconds))
      await whenQuiet(PAUSE_MILLISECONDS)
    }
  }
}

/** A request of an agent to its hub. */
export interface Asked {
  readonly method: string
  readonly path: string
  /** 0 if there was no response. */
  readonly status: number
}

/** A cluster in the process, with agents that reach their hub over TLS. */
export class TlsSpoke {
  readonly client: KubeClient
  readonly log: string[] = []
  /** The requests of this cluster's agents to their hub. */
  readonly asked: Asked[] = []
  /** Responds instead of the cluster's server, or returns undefined to let it respond. */
  fault: ((request: HttpRequest) => Promise<HttpResponse> | undefined) | undefined
  readonly #t: Test
  readonly #forAgent: KubeClient

  private constructor(t: Test, server: ApiServer) {
    this.#t = t
    this.client = server.client()
    const local = this.client.transport
    this.#forAgent = new KubeClient({ request: (request) => this.fault?.(request) ?? local.request(request) })
  }

  static async start(t: Test, clock: Clock): Promise<TlsSpoke> {
    const server = await startPreparedServer('spoke', { host: false, clock })
    afterwards(t, () => server.close())
    return new TlsSpoke(t, server)
  }

  /** Starts an agent, which is closed before the cluster. */
  async startAgent(hub: TlsHub, clusterName: string, options: Partial<AgentOptions> = {}): Promise<Agent> {
    const agent = await startAgent({
      spoke: this.#forAgent,
      clock: hub.clock,
      clusterName,
      bootstrap: { kubeconfigs: [hub.bootstrapKubeconfig] },
      connectHub: (config) => this.#noting(connect(config)),
      log: createLogger({ level: 'debug', write: (line) => this.log.push(line) }),
      ...options,
    })
    afterwards(this.#t, () => agent.close())
    return agent
  }

  /** Starts an agent and waits until the cluster is available. */
  async join(hub: TlsHub, clusterName: string, options: Partial<AgentOptions> = {}): Promise<Agent> {
    const agent = await this.startAgent(hub, clusterName, options)
    await hub.whenAvailable(clusterName)
    return agent
  }

  /** The uid of a ConfigMap in `default`, which changes if it is recreated. */
  async uidOf(name: string): Promise<string | undefined> {
    return (await this.client.find(ConfigMap, { namespace: 'default', name }))?.metadata.uid
  }

  async valueOf(name: string): Promise<string | undefined> {
    return (await this.client.find(ConfigMap, { namespace: 'default', name }))?.data?.value
  }

  async recordOf(work: string): Promise<AppliedManifestWork | undefined> {
    const { items } = await this.client.list(AppliedManifestWork)
    return items.find(({ spec }) => spec?.manifestWorkName === work)
  }

  #noting(transport: Transport): Transport {
    const note = ({ method, path }: HttpRequest, status: number) => this.asked.push({ method, path, status })
    return {
      request: async (request) => {
        try {
          const response = await transport.request(request)
          note(request, response.status)
          return response
        } catch (error) {
          note(request, 0)
          throw error
        }
      },
      close: () => transport.close?.(),
    }
  }
}

/** Approves pending requests of cluster c1, as an administrator. */
export async function approveAll(hub: TlsHub): Promise<number> {
  const { items } = await hub.client.list(CertificateSigningRequest, { labelSelector: `${CLUSTER_NAME_LABEL}=c1` })
  const waiting = items.filter((request) => !isApproved(request))
  for (const request of waiting) {
    await approveRequest(hub.client, request, { reason: 'Tested', message: '' }, { clock: hub.clock })
  }
  return waiting.length
}
