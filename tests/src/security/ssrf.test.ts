import assert from 'node:assert/strict'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { issue } from '../support/certificates.js'
import { type Cluster, sharedCluster } from './cluster.js'
import { createAuthority, generateKey, usagesFromNames } from './internals.js'

const cluster = sharedCluster()
const HOUR = 3_600_000
const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const SECRET_TEXT = 'the-text-of-an-internal-server'

/** A server inside the network, which no response of the API server may quote. */
interface Internal {
  readonly port: number
  readonly caBundle: string
  readonly seen: {
    readonly path: string
    readonly headers: NodeJS.Dict<string | string[]>
    readonly hasCertificate: boolean
  }[]
}

type Stop = { after(step: () => void): void }

async function startInternal(t: Stop, status: number, headers: Record<string, string> = {}): Promise<Internal> {
  const [notBefore, notAfter] = [new Date(Date.now() - HOUR), new Date(Date.now() + HOUR)]
  const authority = createAuthority('internal-ca', generateKey().privateKey, notBefore, notAfter)
  const altNames = { dns: ['localhost'], ips: ['127.0.0.1'], emails: [], uris: [] }
  const usages = usagesFromNames(['digital signature', 'server auth'])
  const seen: Internal['seen'] = []
  const tls = {
    ...issue(authority.issuer, { name: 'localhost' }, { altNames, usages }),
    requestCert: true,
    rejectUnauthorized: false,
  }
  const server = createHttps(tls, (incoming, outgoing) => {
    const { raw } = (incoming.socket as TLSSocket).getPeerCertificate()
    seen.push({ path: incoming.url ?? '', headers: incoming.headers, hasCertificate: raw !== undefined })
    incoming.resume().on('end', () => outgoing.writeHead(status, headers).end(SECRET_TEXT))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const caBundle = Buffer.from(authority.certificatePem).toString('base64')
  return { port: (server.address() as AddressInfo).port, caBundle, seen }
}

/** Counts the connections to a port. */
async function startTrap(t: Stop): Promise<{ readonly port: number; count(): number }> {
  let count = 0
  const server = createTcp((socket) => {
    count++
    socket.destroy()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, count: () => count }
}

let made = 0

/** A webhook for the ConfigMaps of one namespace, which only this test uses. */
async function webhook(of: Cluster, clientConfig: object): Promise<string> {
  const name = `trial-${++made}`
  await of.namespace(name)
  await of.create(WEBHOOKS, {
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig,
        rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  })
  return `/api/v1/namespaces/${name}/configmaps`
}

test('webhooks: accepts only https URLs without user, query and fragment, for admission and for conversion', async () => {
  for (const url of [
    'http://127.0.0.1/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:70/_x',
    'https://user:password@127.0.0.1/',
    'https://127.0.0.1/?a=b',
    'https://127.0.0.1/#a',
    'https:///path',
  ]) {
    const refused = await cluster().admin.send('POST', WEBHOOKS, {
      metadata: { name: 'refused' },
      webhooks: [{ name: 'a.b.c', clientConfig: { url }, sideEffects: 'None', admissionReviewVersions: ['v1'] }],
    })
    assert.equal(refused.status, 422, `${url}: ${refused.text}`)
    const schema = { openAPIV3Schema: { type: 'object' } }
    const conversion = await cluster().admin.send('POST', CRDS, {
      metadata: { name: 'things.refused.example.com' },
      spec: {
        group: 'refused.example.com',
        scope: 'Cluster',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
        conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { url } } },
      },
    })
    assert.equal(conversion.status, 422, `${url}: ${conversion.text}`)
  }
})

for (const status of [301, 302, 307, 308]) {
  test(`webhooks: does not follow a redirect (${status})`, async (t) => {
    const target = await startInternal(t, 200)
    const hook = await startInternal(t, status, { location: `https://127.0.0.1:${target.port}/stolen` })
    const path = await webhook(cluster(), { url: `https://localhost:${hook.port}/x`, caBundle: hook.caBundle })
    const reply = await cluster().admin.send('POST', path, { metadata: { name: 'a' } })
    assert.equal(reply.status, 500)
    assert.equal(hook.seen.length, 1)
    assert.equal(target.seen.length, 0)
    assert.doesNotMatch(reply.text, new RegExp(SECRET_TEXT))
  })
}

test('webhooks: does not send credentials of the server or of the caller', async (t) => {
  const hook = await startInternal(t, 200)
  const path = await webhook(cluster(), { url: `https://localhost:${hook.port}/x`, caBundle: hook.caBundle })
  const headers = { cookie: 'session=1', 'x-remote-user': 'admin', authorization: 'Bearer nonsense' }
  await cluster().admin.send('POST', path, { metadata: { name: 'a' } }, { cookie: headers.cookie })
  const token = await cluster().token('default', 'asking')
  await cluster().allow('system:serviceaccount:default:asking', undefined, [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  ])
  await cluster()
    .caller({ token })
    .send('POST', path, { metadata: { name: 'b' } })
  assert.equal(hook.seen.length, 2)
  for (const { headers: sent, hasCertificate } of hook.seen) {
    assert.deepEqual(Object.keys(sent).sort(), [
      'accept',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
    ])
    assert.equal(hasCertificate, false)
  }
})

for (const status of [204, 400, 401, 404, 409, 422, 429, 451, 503, 504]) {
  test(`webhooks: does not repeat the text of a response to the caller (${status})`, async (t) => {
    const hook = await startInternal(t, status)
    const path = await webhook(cluster(), { url: `https://localhost:${hook.port}/x`, caBundle: hook.caBundle })
    const reply = await cluster().admin.send('POST', path, { metadata: { name: 'a' } })
    assert.equal(reply.status, 500)
    assert.doesNotMatch(reply.text, new RegExp(SECRET_TEXT))
  })
}

test('webhooks: sends nothing to an untrusted server', async (t) => {
  const [hook, other] = [await startInternal(t, 200), await startInternal(t, 200)]
  for (const clientConfig of [
    { url: `https://localhost:${hook.port}/x`, caBundle: other.caBundle },
    { url: `https://localhost:${hook.port}/x` },
  ]) {
    const path = await webhook(cluster(), clientConfig)
    const reply = await cluster().admin.send('POST', path, { metadata: { name: 'a' } })
    assert.match(reply.text, /certificate signed by unknown authority/)
  }
  assert.equal(hook.seen.length, 0)
})

test('webhooks: the owner of a Service cannot direct it to ports of the server’s machine', async (t) => {
  const trap = await startTrap(t)
  const path = await webhook(cluster(), { service: { namespace: 'default', name: 'led', port: 443 } })
  await cluster().create('/api/v1/namespaces/default/services', {
    metadata: { name: 'led' },
    spec: { clusterIP: 'None', ports: [{ name: 'web', port: 443 }] },
  })
  const slice = (name: string, addressType: string, address: string) =>
    cluster().admin.send('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name, labels: { 'kubernetes.io/service-name': 'led' } },
      addressType,
      endpoints: [{ addresses: [address] }],
      ports: [{ name: 'web', port: trap.port }],
    })
  for (const [index, address] of ['127.0.0.1', '127.1.2.3', '0.0.0.0', '169.254.169.254'].entries()) {
    assert.equal((await slice(`v4-${index}`, 'IPv4', address)).status, 422, address)
  }
  for (const [index, address] of ['::1', '::', 'fe80::1', '::ffff:127.0.0.1'].entries()) {
    assert.equal((await slice(`v6-${index}`, 'IPv6', address)).status, 422, address)
  }
  assert.equal((await slice('fqdn', 'FQDN', 'localhost.localdomain')).status, 201)
  const reply = await cluster().admin.send('POST', path, { metadata: { name: 'a' } })
  assert.match(reply.text, /cannot route to service with ClusterIP/)
  assert.equal(trap.count(), 0)
  const editor = cluster().user('editor')
  await cluster().create('/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
    metadata: { name: 'editor' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'editor' }],
  })
  for (const resource of [
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    '/api/v1/namespaces/default/endpoints',
  ]) {
    assert.equal(await editor.status('POST', resource, {}), 403, `${resource} is not for the admin of a namespace`)
  }
})

test('APIServices: a remote one is stored, and no request is forwarded', async (t) => {
  const trap = await startTrap(t)
  await cluster().create('/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: 'v1.remote.example.com' },
    spec: {
      group: 'remote.example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'remote', port: trap.port },
    },
  })
  await cluster().create('/api/v1/namespaces/default/services', {
    metadata: { name: 'remote' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  })
  const reply = await cluster().admin.send('GET', '/apis/remote.example.com/v1/things')
  assert.equal(reply.status, 404)
  assert.equal(trap.count(), 0)
})

test('proxies: no node, pod or service is reached through the server', async (t) => {
  const trap = await startTrap(t)
  await cluster().create('/api/v1/nodes', {
    metadata: { name: 'trap' },
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: trap.port } },
    },
  })
  await cluster().create('/api/v1/namespaces/default/services', {
    metadata: { name: 'proxied' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  })
  for (const path of [
    `/api/v1/nodes/trap/proxy/`,
    `/api/v1/nodes/trap:${trap.port}/proxy/`,
    `/api/v1/nodes/https:127.0.0.1:${trap.port}/proxy/`,
    `/api/v1/namespaces/default/services/proxied:${trap.port}/proxy/`,
    `/api/v1/namespaces/default/services/https:proxied:${trap.port}/proxy/`,
    `/api/v1/namespaces/default/pods/none:${trap.port}/proxy/`,
  ]) {
    const status = await cluster().admin.status('GET', path)
    assert.ok(status >= 400 && status < 600, `${path}: ${status}`)
  }
  assert.equal(trap.count(), 0)
})
