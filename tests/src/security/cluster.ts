import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import { type CertificateFields, type Issued, issue } from '../support/certificates.js'
import { type ServerOptions, type ServerProcess, startServer } from '../support/server.js'
import { Caller, type Reply, type Shown } from './caller.js'
import { loadAuthority } from './internals.js'

type Lifetime = Pick<TestContext, 'after'>

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

export interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly verbs: readonly string[]
}

/** A server process with users. */
export class Cluster {
  readonly server: ServerProcess
  readonly admin: Caller
  readonly #t: Lifetime
  readonly #authority: ReturnType<typeof loadAuthority>

  private constructor(t: Lifetime, server: ServerProcess, authority: ReturnType<typeof loadAuthority>) {
    this.#t = t
    this.server = server
    this.#authority = authority
    const { cert, key } = server.credentials
    this.admin = this.caller({ certificate: { cert, key } })
  }

  static async start(t: Lifetime, options: ServerOptions = {}): Promise<Cluster> {
    const server = await startServer(t, options)
    const file = (name: string) => readFile(join(server.dataDirectory, 'pki', name), 'utf8')
    return new Cluster(t, server, loadAuthority(await file('ca.crt'), await file('ca.key')))
  }

  caller(shown: Shown): Caller {
    const caller = new Caller(this.server.url, this.server.credentials.ca, shown)
    this.#t.after(() => caller.close())
    return caller
  }

  /** A user with a certificate of the cluster's authority. */
  user(name: string, groups: readonly string[] = [], headers: Shown['headers'] = {}): Caller {
    return this.caller({ certificate: this.certificate(name, groups), headers })
  }

  /** A client certificate; `overrides` make it invalid in some way. */
  certificate(name: string, groups: readonly string[] = [], overrides: Partial<CertificateFields> = {}): Issued {
    return issue(this.#authority.issuer, { name, groups }, overrides)
  }

  /** Creates an object as the administrator. */
  async create(path: string, object: object): Promise<Reply['object']> {
    const reply = await this.admin.send('POST', path, object)
    assert.equal(reply.status, 201, reply.text)
    return reply.object
  }

  async namespace(name: string): Promise<void> {
    await this.create('/api/v1/namespaces', { metadata: { name } })
  }

  /** Grants a user permissions, in one namespace or in the whole cluster. */
  async allow(user: string, namespace: string | undefined, rules: readonly Rule[]): Promise<void> {
    const root = namespace === undefined ? RBAC : `${RBAC}/namespaces/${namespace}`
    const [role, binding] =
      namespace === undefined ? ['clusterroles', 'clusterrolebindings'] : ['roles', 'rolebindings']
    const { metadata } = await this.create(`${root}/${role}`, { metadata: { generateName: 'test-' }, rules })
    await this.create(`${root}/${binding}`, {
      metadata: { generateName: 'test-' },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: namespace === undefined ? 'ClusterRole' : 'Role',
        name: (metadata as { name: string }).name,
      },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    })
  }

  /** A token for a service account, which is created if it does not exist. */
  async token(namespace: string, account: string, spec: object = {}): Promise<string> {
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
    await this.admin.send('POST', accounts, { metadata: { name: account } })
    const request = await this.create(`${accounts}/${account}/token`, { spec })
    return (request.status as { token: string }).token
  }
}

/** One cluster for all tests of a file, which do not interfere with each other. */
export function sharedCluster(options: ServerOptions = {}): () => Cluster {
  const steps: (() => unknown)[] = []
  let cluster: Cluster | undefined
  before(async () => {
    cluster = await Cluster.start({ after: (step) => void steps.push(step as () => unknown) }, options)
  })
  after(async () => {
    for (const step of steps.reverse()) await step()
  })
  return () => {
    assert.ok(cluster !== undefined)
    return cluster
  }
}
