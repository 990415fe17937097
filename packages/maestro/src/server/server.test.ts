import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { connect, type PeerCertificate } from 'node:tls'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { KubeClient } from '@orrery/kube'
import {
  type Authority,
  altNamesOf,
  createAuthority,
  DistinguishedName,
  generateKey,
  issueLeaf,
} from '@orrery/kube/pki'
import { eventually } from '@orrery/kube/testing'
import { MANIFEST_BUNDLES } from '../codec/event-type.js'
import { encodePublishRequest, encodeSubscriptionRequest } from '../codec/protobuf.js'
import { GrpcCode } from './errors.js'
import type { MaestroServerOptions } from './options.js'
import { type MaestroServer, startMaestroServer } from './server.js'
import { embeddedDirectory } from './testing/databases.fixture.js'
import { TestClient } from './testing/grpc-client.fixture.js'
import { spec, status } from './testing/server.fixture.js'

const FREE = { rest: 0, sources: 0, agents: 0, health: 0, metrics: 0 }

const cleanups: (() => unknown)[] = []

after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

/** Runs until all tests of the file have ended. */
async function start(options: MaestroServerOptions = {}): Promise<MaestroServer> {
  const directory = await embeddedDirectory()
  const server = await startMaestroServer({ ports: FREE, database: { directory }, ...options })
  cleanups.push(() => server.close())
  return server
}

/** Tests share servers: the start of one takes longer than most of them. */
function shared<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

const openServer = shared(() => start({ host: '0.0.0.0', allowUnauthenticated: true }))

async function get(port: number | undefined, path: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  return { status: response.status, text: await response.text() }
}

async function post(port: number | undefined, path: string, body: object) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: JSON.stringify(body) })
  return response.status
}

function grpcClient(t: TestContext, port: number | undefined): TestClient {
  const client = new TestClient(port ?? 0)
  t.after(() => client.close())
  return client
}

test('startMaestroServer: carries a work from a source to an agent and its status back, visible by REST', async (t) => {
  const { ports } = await openServer()
  assert.equal(await post(ports.rest, '/api/maestro/v1/consumers', { name: 'c1' }), 201)
  const [source, agent] = [grpcClient(t, ports.sources), grpcClient(t, ports.agents)]
  const statuses = source.subscribe({ source: 's1' })
  const specs = agent.subscribe({ clusterName: 'c1' })
  await Promise.all([statuses.header, specs.header])
  await source.publish(spec('create', { id: 'b1' }))
  await specs.next(({ extensions }) => extensions.resourceid === 'b1')
  await agent.publish(status({ id: 'b1', version: 1, sequence: 1 }))
  await statuses.next(({ extensions }) => extensions.resourceid === 'b1')
  const { text } = await get(ports.rest, "/api/maestro/v1/resource-bundles?search=consumer_name='c1'")
  const [bundle] = JSON.parse(text).items
  assert.equal(bundle.metadata.name, 'work-b1')
  assert.equal(bundle.status.ObservedVersion, 1)
  assert.equal(bundle.status.conditions[0].type, 'Applied')
  const deleted = await fetch(`http://127.0.0.1:${ports.rest}/api/maestro/v1/resource-bundles/b1`, { method: 'DELETE' })
  assert.equal(deleted.status, 204)
  await specs.next(({ type }) => type.endsWith('delete_request'))
  const shown = (await get(ports.metrics, '/metrics')).text
  assert.match(shown, /^grpc_server_processed_total\{type="Publish",code="OK"\} 1$/m)
  assert.match(shown, /^grpc_server_ce_processed_total\{type="Publish",code="OK"\} 1$/m)
  assert.match(shown, /^grpc_server_registered_source_clients 1$/m)
  assert.match(shown, /^rest_api_inbound_request_count\{.*path="\/api\/maestro\/v1\/resource-bundles\/-"/m)
  assert.doesNotMatch(shown, /b1|c1|s1/)
})

test('startMaestroServer: does not start without access control on addresses other than loopback, unless that is allowed', async () => {
  for (const host of ['0.0.0.0', '', '192.0.2.1']) {
    await assert.rejects(startMaestroServer({ host, ports: FREE }), /would accept everyone on .*: configure access/)
  }
  const { ports } = await openServer()
  assert.equal((await get(ports.rest, '/api/maestro')).status, 200)
})

test('startMaestroServer: reports its health, and ends subscriptions when it stops', async (t) => {
  const directory = await embeddedDirectory()
  const server = await start({ database: { directory } })
  const { health, metrics, rest, sources, agents } = server.ports
  await eventually('health', async () => (await get(health, '/healthcheck')).status === 200)
  assert.deepEqual(await get(health, '/healthcheck'), { status: 200, text: '{"status":"ok"}' })
  assert.equal((await get(health, '/livez')).status, 200)
  assert.equal((await get(health, '/metrics')).status, 404)
  assert.equal((await get(metrics, '/healthcheck')).status, 404)
  await assert.rejects(startMaestroServer({ database: { directory }, ports: FREE }), /uses the database in/)
  const taken = start({ ports: { ...FREE, agents: agents ?? 0 } })
  await assert.rejects(taken, /cannot listen on 127\.0\.0\.1/)
  const stream = grpcClient(t, sources).subscribe({ source: 's1' })
  await stream.header
  const [failure] = await Promise.all([stream.failed, server.close()])
  assert.equal(failure.code, GrpcCode.unavailable)
  for (const port of [rest, health, metrics]) await assert.rejects(get(port, '/'))
})

const DAY = 86_400_000

function newAuthority(name: string): Authority {
  const now = Date.now()
  return createAuthority(name, generateKey().privateKey, new Date(now - DAY), new Date(now + DAY))
}

function leaf(authority: Authority, name: string, groups: readonly string[], usage: 'server auth' | 'client auth') {
  return issueLeaf(authority, {
    subject: DistinguishedName.of(name, groups),
    altNames: altNamesOf(usage === 'server auth' ? ['localhost', '127.0.0.1'] : []),
    usages: ['digital signature', usage],
    notBefore: new Date(Date.now() - DAY / 2),
    notAfter: new Date(Date.now() + DAY / 2),
  })
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'maestro-'))
  cleanups.push(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** A server with TLS and a policy, and the authority of its clients. */
const securedServer = shared(async () => {
  const directory = await temporaryDirectory()
  const authority = newAuthority('test')
  const files = { certFile: join(directory, 'tls.crt'), keyFile: join(directory, 'tls.key') }
  const clientCaFile = join(directory, 'ca.crt')
  const replace = async (path: string, text: string) => {
    await writeFile(`${path}.new`, text)
    await rename(`${path}.new`, path)
  }
  const serve = async (by: Authority) => {
    const { certificate, key } = leaf(by, 'server', [], 'server auth')
    await replace(files.keyFile, key)
    await replace(files.certFile, certificate)
  }
  await serve(authority)
  await writeFile(clientCaFile, authority.certificatePem)
  const policyFile = join(directory, 'policy.yaml')
  await writeFile(
    policyFile,
    `rules:
- { users: [adapter], verbs: [pub, sub], paths: [/sources/s1] }
- { users: [adapter], verbs: ['*'], paths: [/api/maestro*] }
- { groups: [monitors], verbs: [get], paths: [/metrics] }
tokens:
- { user: prometheus, groups: [monitors], sha256: ${createHash('sha256').update('foo').digest('hex')} }
- { user: adapter, sha256: ${createHash('sha256').update('bar').digest('hex')} }
`,
  )
  const tls = { ...files, clientCaFile }
  const server = await start({ tls: { rest: tls, sources: tls, agents: tls }, access: { policyFile } })
  return { server, authority, serve, tls }
})

const AGENT = 'system:open-cluster-management:c1:agent1'
const AGENT_GROUPS = ['system:open-cluster-management:c1', 'system:open-cluster-management:managed-clusters']
const asIs = (message: Buffer) => message

test('startMaestroServer: with TLS, sources need permission and agents act for their own cluster only', async (t) => {
  const { server, authority } = await securedServer()
  const client = (port: number | undefined, name: string, groups: readonly string[], by = authority) => {
    const { certificate, key } = leaf(by, name, groups, 'client auth')
    const [ca, keyBytes, chain] = [authority.certificatePem, key, certificate].map((text) => Buffer.from(text))
    const channel = credentials.createSsl(ca, keyBytes, chain)
    const made = new Client(`localhost:${port}`, channel)
    t.after(() => made.close())
    return made
  }
  const publish = (caller: Client, message: Buffer) =>
    new Promise<number>((resolve) => {
      const path = '/io.cloudevents.v1.CloudEventService/Publish'
      caller.makeUnaryRequest(path, asIs, asIs, message, new Metadata(), { deadline: Date.now() + 30_000 }, (error) =>
        resolve(error?.code ?? 0),
      )
    })
  const subscribe = (caller: Client, clusterName: string) =>
    new Promise<number>((resolve) => {
      const message = encodeSubscriptionRequest({ source: '', clusterName, dataType: MANIFEST_BUNDLES })
      const path = '/io.cloudevents.v1.CloudEventService/Subscribe'
      const call = caller.makeServerStreamRequest(path, asIs, asIs, message)
      call.on('metadata', (header: Metadata) => {
        if (header.get('subscription-id').length === 0) return
        resolve(0)
        call.cancel()
      })
      call.on('error', (error) => resolve((error as unknown as { code: number }).code))
    })
  const { sources, agents } = server.ports
  await server.core.consumers.create({ name: 'c1' })
  const adapter = client(sources, 'adapter', [])
  assert.equal(await publish(adapter, encodePublishRequest(spec('create', { id: 'b1' }))), 0)
  const other = encodePublishRequest(spec('create', { id: 'b2', source: 's2' }))
  assert.equal(await publish(adapter, other), GrpcCode.permissionDenied)
  const agent = client(agents, AGENT, AGENT_GROUPS)
  assert.equal(await subscribe(agent, 'c1'), 0)
  assert.equal(await subscribe(agent, 'c2'), GrpcCode.permissionDenied)
  const foreign = encodePublishRequest(status({ id: 'b1', version: 1, sequence: 1, cluster: 'c2' }))
  assert.equal(await publish(agent, foreign), GrpcCode.permissionDenied)
  const stranger = client(agents, AGENT, AGENT_GROUPS, newAuthority('other'))
  assert.equal(await subscribe(stranger, 'c1'), GrpcCode.unauthenticated)
})

test('startMaestroServer: a port with an authority of clients accepts tokens as well', async (t) => {
  const { server, authority } = await securedServer()
  const client = new Client(
    `localhost:${server.ports.sources}`,
    credentials.createSsl(Buffer.from(authority.certificatePem)),
  )
  t.after(() => client.close())
  const publish = (authorization?: string) =>
    new Promise<number>((resolve) => {
      const metadata = new Metadata()
      if (authorization !== undefined) metadata.set('authorization', authorization)
      const message = encodePublishRequest(spec('delete', { id: 'nothing', source: 's1' }))
      const path = '/io.cloudevents.v1.CloudEventService/Publish'
      client.makeUnaryRequest(path, asIs, asIs, message, metadata, (error) => resolve(error?.code ?? 0))
    })
  assert.equal(await publish(), GrpcCode.unauthenticated)
  assert.equal(await publish('Bearer wrong'), GrpcCode.unauthenticated)
  assert.equal(await publish('Bearer foo'), GrpcCode.permissionDenied)
  assert.equal(await publish('Bearer bar'), 0)
})

test('startMaestroServer: without access control, a port with an authority of clients demands its certificate', async (t) => {
  const { authority, tls } = await securedServer()
  const server = await start({ ports: { ...FREE, sources: false }, tls: { agents: tls } })
  const client = new Client(
    `localhost:${server.ports.agents}`,
    credentials.createSsl(Buffer.from(authority.certificatePem)),
  )
  t.after(() => client.close())
  const code = await new Promise<number>((resolve) => {
    const message = encodePublishRequest(status({ id: 'b1', version: 1, sequence: 1 }))
    const path = '/io.cloudevents.v1.CloudEventService/Publish'
    const options = { deadline: Date.now() + 30_000 }
    client.makeUnaryRequest(path, asIs, asIs, message, new Metadata(), options, (error) => resolve(error?.code ?? 0))
  })
  assert.equal(code, GrpcCode.unavailable)
})

test('startMaestroServer: answers unavailable, and names the API, while reviews cannot be made', async (t) => {
  const unreachable = new KubeClient({ request: () => Promise.reject(new Error('connection refused')) })
  const server = await start({ access: { client: unreachable } })
  const authorization = 'Bearer foo'
  const answer = await fetch(`http://127.0.0.1:${server.ports.rest}/api/maestro/v1/consumers`, {
    headers: { authorization },
  })
  const { code, reason } = (await answer.json()) as { code: string; reason: string }
  const text = 'the TokenReview API of Kubernetes did not answer: try again'
  assert.deepEqual([answer.status, code, reason], [503, 'maestro-9', text])
  const metrics = await fetch(`http://127.0.0.1:${server.ports.metrics}/metrics`, { headers: { authorization } })
  assert.equal(metrics.status, 503)
  const client = new Client(`localhost:${server.ports.sources}`, credentials.createInsecure())
  t.after(() => client.close())
  const failure = await new Promise<{ code: number; details: string } | null>((resolve) => {
    const metadata = new Metadata()
    metadata.set('authorization', authorization)
    const message = encodePublishRequest(spec('create', { id: 'b1' }))
    const path = '/io.cloudevents.v1.CloudEventService/Publish'
    client.makeUnaryRequest(path, asIs, asIs, message, metadata, (error) => resolve(error))
  })
  assert.equal(failure?.code, GrpcCode.unavailable)
  assert.equal(failure?.details, `failed to authorize the request: maestro-9: ${text}`)
})

test('startMaestroServer: REST and metrics need a certificate or a token as well', async () => {
  const { server, authority } = await securedServer()
  const adapter = leaf(authority, 'adapter', [], 'client auth')
  const rest = (options: object) =>
    new Promise<number | undefined>((resolve, reject) => {
      const url = `https://localhost:${server.ports.rest}/api/maestro/v1/consumers`
      const sent = httpsRequest(url, { ca: authority.certificatePem, agent: false, ...options }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.on('error', reject).end()
    })
  assert.equal(await rest({}), 401)
  assert.equal(await rest({ cert: adapter.certificate, key: adapter.key }), 200)
  const stranger = leaf(newAuthority('other'), 'adapter', [], 'client auth')
  assert.equal(await rest({ cert: stranger.certificate, key: stranger.key }), 401)
  assert.equal(await rest({ headers: { authorization: 'Bearer foo' } }), 403)
  const metrics = `http://127.0.0.1:${server.ports.metrics}/metrics`
  assert.equal((await fetch(metrics)).status, 401)
  assert.equal((await fetch(metrics, { headers: { authorization: 'Bearer foo' } })).status, 200)
  assert.equal((await get(server.ports.health, '/livez')).status, 200)
})

test('startMaestroServer: uses new certificates when the files change, on every port', async () => {
  const { server, authority, serve } = await securedServer()
  const shown = (port: number | undefined) =>
    new Promise<PeerCertificate>((resolve, reject) => {
      const { certificate: cert, key } = leaf(authority, 'adapter', [], 'client auth')
      const socket = connect({ port: port ?? 0, host: '127.0.0.1', rejectUnauthorized: false, cert, key }, () => {
        resolve(socket.getPeerCertificate())
        socket.destroy()
      })
      socket.on('error', reject)
    })
  const ports = [server.ports.rest, server.ports.sources, server.ports.agents]
  for (const port of ports) assert.equal((await shown(port)).issuer.CN, 'test')
  await serve(newAuthority('next'))
  for (const port of ports)
    await eventually('the new certificate', async () => (await shown(port)).issuer.CN === 'next')
})
