import type { TestContext } from 'node:test'
import type { ApiServer } from '@orrery/apiserver'
import {
  type ApiObject,
  ClusterRole,
  ClusterRoleBinding,
  type Kind,
  Namespace,
  type ObjectRef,
  ServiceAccount,
  type TokenRequest,
} from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import { clientFrom, type KubeClient } from '@orrery/kube'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { ConnectionError } from '@orrery/kube/transport'
import { Organization, organizationNamespace, Template, VirtualDataCenter, Zone } from '@orrery/ovim'
import { OVIM_SERVICE_ACCOUNT, type OvimHub, type OvimHubOptions, startOvimHub } from '@orrery/ovim/hub'
import { startPreparedServer } from '../support/prepared-server.js'
import { afterwards } from '../support/server.js'
import { RestClient } from './rest.js'
import { TestAgent } from './test-agent.js'

const PEOPLE = 'people'
const PAUSE_MILLISECONDS = 2
const SERVICE = {
  username: `system:serviceaccount:ovim-system:${OVIM_SERVICE_ACCOUNT}`,
  uid: '',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:ovim-system', 'system:authenticated'],
  extra: {},
}

export interface OvimFixtureOptions extends Partial<Pick<OvimHubOptions, 'retention' | 'oidc' | 'clientAuthority'>> {
  /** Listen on loopback, for clients with tokens. Default false. */
  readonly listens?: boolean
}

/** Somebody with a token. */
export interface Person {
  readonly name: string
  readonly token: string
  readonly rest: RestClient
}

/** A hub service on an embedded API server, with a clock that the test advances. */
export class OvimFixture {
  readonly clock: FakeClock
  readonly server: ApiServer
  readonly client: KubeClient
  /** Whether the hub service cannot reach the API server. */
  isApiServerAway = false
  readonly #options: OvimFixtureOptions
  readonly #rests: RestClient[] = []
  #hub: OvimHub | undefined
  #port = 0
  #authority = ''

  private constructor(server: ApiServer, clock: FakeClock, options: OvimFixtureOptions) {
    this.server = server
    this.clock = clock
    this.client = server.client()
    this.#options = options
  }

  static async start(t: Pick<TestContext, 'after'>, options: OvimFixtureOptions = {}): Promise<OvimFixture> {
    // Certificates are verified by the time of the system.
    const clock = new FakeClock(new Date())
    const server = await startPreparedServer('ovim', {
      ...(options.listens !== true && { host: false as const }),
      clock,
      namespaceDeletionGraceSeconds: 0,
    })
    const fixture = new OvimFixture(server, clock, options)
    afterwards(t, async () => {
      for (const rest of fixture.#rests) rest.close()
      await fixture.stop()
      await fixture.whileTimePasses(server.close())
    })
    await fixture.restart()
    return fixture
  }

  get hub(): OvimHub {
    if (this.#hub === undefined) throw new Error('the hub service is not running')
    return this.#hub
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`
  }

  get authority(): string {
    return this.#authority
  }

  /** Starts the hub service. Another process than before: it remembers nothing. */
  async restart(): Promise<void> {
    const { listens: _, ...options } = this.#options
    this.#hub = await this.whileTimePasses(
      startOvimHub({
        client: this.#hubClient(),
        clock: this.clock,
        host: '127.0.0.1',
        port: 0,
        ...options,
      }),
    )
    this.#port = this.#hub.port
    this.#authority = this.#hub.certificateAuthority ?? ''
  }

  /** Retries and grace periods wait for the clock. */
  async whileTimePasses<T>(work: Promise<T>): Promise<T> {
    const timer = setInterval(() => this.clock.advance(PAUSE_MILLISECONDS), PAUSE_MILLISECONDS)
    try {
      return await work
    } finally {
      clearInterval(timer)
    }
  }

  /** The client of the hub service, with its own permissions: it has no connection while the API server is away. */
  #hubClient(): KubeClient {
    const client = this.server.client({ identity: SERVICE })
    const { transport } = client
    return client.withTransport({
      request: (request) =>
        this.isApiServerAway
          ? Promise.reject(new ConnectionError('the API server is away', { code: 'ECONNREFUSED', sent: false }))
          : transport.request(request),
    })
  }

  async stop(): Promise<void> {
    const hub = this.#hub
    this.#hub = undefined
    if (hub !== undefined) await this.whileTimePasses(hub.close())
  }

  rest(headers: Readonly<Record<string, string>> = {}, tls: { cert?: string; key?: string } = {}): RestClient {
    const rest = new RestClient(this.url, { ca: this.#authority, ...tls }, headers)
    this.#rests.push(rest)
    return rest
  }

  /** A person with a service account's token. */
  async person(name: string): Promise<Person> {
    const token = await this.token(name)
    return { name, token, rest: this.rest({ authorization: `Bearer ${token}` }) }
  }

  async token(name: string): Promise<string> {
    const metadata = { namespace: PEOPLE, name }
    await ignoringExisting(this.client.create(Namespace, { metadata: { name: PEOPLE } }))
    await ignoringExisting(this.client.create(ServiceAccount, { metadata }))
    const Tokens = ServiceAccount as unknown as Kind<TokenRequest>
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata,
      spec: { expirationSeconds: 86_400 },
    }
    const { status } = await this.client.create(Tokens, request as never, { subresource: 'token' })
    return status?.token ?? ''
  }

  /** A client of the API server over TLS, with the token of a person: what kubectl uses. */
  async kubectl({ token }: Person): Promise<KubeClient> {
    const { url: server, certificateAuthority: text } = this.server
    return clientFrom({ server, certificateAuthority: { text }, token })
  }

  /** Lets somebody do everything in OVIM. */
  async makeSystemAdmin({ name }: Person): Promise<void> {
    await this.client.create(ClusterRoleBinding, {
      metadata: { name: `admin-${name}` },
      roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'ovim:system-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace: PEOPLE, name }],
    })
  }

  /** The agent of a zone, with credentials for that zone only. */
  async agent(zone: string, overrides: { readonly agentId?: string } = {}): Promise<TestAgent> {
    const name = `agent-${zone}`
    const token = await this.token(name)
    await ignoringExisting(
      this.client.create(ClusterRole, {
        metadata: { name: `zone-${zone}` },
        rules: [{ apiGroups: ['ovim.io'], resources: ['zones/agent'], resourceNames: [zone], verbs: ['update'] }],
      }),
    )
    await ignoringExisting(
      this.client.create(ClusterRoleBinding, {
        metadata: { name: `zone-${zone}` },
        roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: `zone-${zone}` },
        subjects: [{ kind: 'ServiceAccount', namespace: PEOPLE, name }],
      }),
    )
    const { agentId = `agent-of-${zone}` } = overrides
    const identity = { 'x-agent-id': agentId, 'x-cluster-id': zone, 'x-zone-id': zone }
    const connect = () => this.rest({ authorization: `Bearer ${token}`, ...identity })
    return new TestAgent(connect, { agentId, zone }, this.clock)
  }

  /** An agent that has reported: its zone can take virtual machines. */
  async connectedAgent(zone: string): Promise<TestAgent> {
    const agent = await this.agent(zone)
    await agent.report()
    await this.when(Zone, { name: zone }, ({ status }) => status?.agent?.status === 'healthy')
    return agent
  }

  /** An organization with an admin, a user, and a public template to use. */
  async organization(name: string): Promise<{ admin: Person; user: Person }> {
    const [admin, user] = [await this.person(`${name}-admin`), await this.person(`${name}-user`)]
    const subject = (person: Person) => ({ kind: 'ServiceAccount' as const, namespace: PEOPLE, name: person.name })
    await this.client.create(Organization, {
      metadata: { name },
      spec: { admins: [subject(admin)], users: [subject(user)] },
    })
    await this.when(Organization, { name }, ({ status }) => status?.phase === 'Active')
    return { admin, user }
  }

  async template(name = 'small', namespace = 'ovim-system'): Promise<void> {
    await ignoringExisting(
      this.client.create(Template, {
        metadata: { namespace, name },
        spec: { osType: 'linux', cpu: 1, memory: '1Gi', image: { containerDisk: 'example.com/disk:1' } },
      }),
    )
  }

  /** A virtual data center that exists on the cluster of an agent. */
  async vdc(organization: string, name: string, agent: TestAgent, spec: object = {}): Promise<VirtualDataCenter> {
    const namespace = organizationNamespace(organization)
    await this.client.create(VirtualDataCenter, {
      metadata: { namespace, name },
      spec: { zoneId: agent.zone, ...spec },
    })
    await agent.complete('VDCCreate')
    return this.when(VirtualDataCenter, { namespace, name }, ({ status }) => status?.phase === 'Active')
  }

  async eventually(what: string, holds: () => unknown): Promise<void> {
    await eventually(what, async () => Boolean(await holds()), {
      intervalMilliseconds: PAUSE_MILLISECONDS,
      meanwhile: () => this.clock.advance(PAUSE_MILLISECONDS),
    })
  }

  /** Waits until an object is as wanted. */
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
}

async function ignoringExisting(creation: Promise<unknown>): Promise<void> {
  try {
    await creation
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
