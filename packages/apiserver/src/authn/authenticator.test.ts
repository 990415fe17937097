import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { connect, createServer, type TLSSocket } from 'node:tls'
import type { KubeObject } from '@orrery/kinds'
import { isUnauthorized } from '@orrery/kinds/values'
import { systemClock } from '@orrery/kube/clock'
import { encodePem, privateKeyPem, TrustRoots, usagesFromNames } from '@orrery/kube/pki'
import { FakeClock, hoursFrom, issueClient, NOW, testAuthority } from '@orrery/kube/testing'
import { ANONYMOUS } from '../identity/identity.js'
import { bearerToken } from './authenticator.js'
import { CredentialCache } from './credential-cache.js'
import { encoded, now, TestCluster } from './testing.fixture.js'

const peer = (der: Buffer) => ({ raw: der })
const show = (cluster: TestCluster, certificate: { raw: Buffer } | undefined, authorization?: string) =>
  now(cluster.authenticator.authenticate({ certificate, authorization }))

test('Authenticator: returns the anonymous identity without credentials, or a 401 if it is disabled', () => {
  assert.equal(show(new TestCluster(), undefined), ANONYMOUS)
  assert.equal(show(new TestCluster(), undefined, 'Basic YTpi'), ANONYMOUS)
  assert.throws(() => show(new TestCluster({ allowAnonymous: false }), undefined), isUnauthorized)
})

test('Authenticator: takes user and groups from the subject of a client certificate', () => {
  const cluster = new TestCluster()
  const { certificate } = issueClient(cluster.authority, { name: 'alice', groups: ['dev', 'ops'] })
  const connection = peer(certificate.der)
  const identity = show(cluster, connection)
  assert.equal(identity.username, 'alice')
  assert.deepEqual(identity.groups, ['dev', 'ops', 'system:authenticated'])
  assert.deepEqual(identity.extra['authentication.kubernetes.io/credential-id'], [
    `X509SHA256=${certificate.fingerprint}`,
  ])
  assert.equal(show(cluster, connection), identity)
  assert.equal(show(cluster, peer(certificate.der)), identity)
})

test('Authenticator: returns a 401 for invalid certificates', () => {
  const cluster = new TestCluster()
  const cases = {
    foreign: issueClient(testAuthority(), { name: 'alice' }),
    expired: issueClient(cluster.authority, { name: 'alice' }, { notAfter: hoursFrom(NOW, -0.5) }),
    server: issueClient(cluster.authority, { name: 'alice' }, { usages: usagesFromNames(['server auth']) }),
  }
  for (const [name, { certificate }] of Object.entries(cases)) {
    assert.throws(() => show(cluster, peer(certificate.der)), isUnauthorized, name)
  }
  assert.throws(() => show(cluster, peer(Buffer.from('garbage'))), isUnauthorized)
})

test('Authenticator: refuses a certificate that expires on an open connection', () => {
  const cluster = new TestCluster()
  const connection = peer(issueClient(cluster.authority, { name: 'alice' }).certificate.der)
  show(cluster, connection)
  cluster.now = hoursFrom(NOW, 23.9)
  show(cluster, connection)
  cluster.now = hoursFrom(NOW, 24.01)
  assert.throws(() => show(cluster, connection), isUnauthorized)
})

test('Authenticator: prefers the certificate, and accepts a valid token with an invalid certificate', () => {
  const cluster = new TestCluster()
  const token = `Bearer ${cluster.token()}`
  const good = issueClient(cluster.authority, { name: 'alice' }).certificate.der
  const bad = issueClient(testAuthority(), { name: 'eve' }).certificate.der
  assert.equal(show(cluster, peer(good), token).username, 'alice')
  assert.equal(show(cluster, peer(bad), token).username, 'system:serviceaccount:ns:bot')
  assert.throws(() => show(cluster, peer(bad), 'Bearer nonsense'), isUnauthorized)
})

test('Authenticator: returns a 401 for an invalid token of any form', () => {
  const cluster = new TestCluster()
  for (const token of ['x', 'a.b.c', 'abcdef.0123456789abcdef', 'Ünïcode', `${cluster.token()}x`]) {
    assert.throws(() => cluster.authenticate(token), isUnauthorized, token)
  }
})

test('bearerToken: parses Authorization headers', () => {
  assert.equal(bearerToken('Bearer abc'), 'abc')
  assert.equal(bearerToken('  bearer abc '), 'abc')
  assert.equal(bearerToken('Bearer abc def'), 'abc')
  assert.equal(bearerToken('Bearer'), undefined)
  assert.equal(bearerToken('Bearer  abc'), undefined)
  assert.equal(bearerToken('Basic abc'), undefined)
})

test('Authenticator: calls authenticators of the embedding program last and passes on their errors', async () => {
  const asked: string[] = []
  const alice = { username: 'alice', uid: '', groups: [], extra: {} }
  const cluster = new TestCluster({
    extra: [
      (token) => {
        asked.push(token)
        return token === 'sesame' ? alice : undefined
      },
    ],
  })
  cluster.authenticate(cluster.token())
  assert.deepEqual(asked, [])
  const ask = async (token: string) =>
    cluster.authenticator.authenticate({ certificate: undefined, authorization: `Bearer ${token}` })
  assert.deepEqual((await ask('sesame')).groups, ['system:authenticated'])
  await assert.rejects(ask('other'), isUnauthorized)
  assert.deepEqual(asked, ['sesame', 'other'])
})

const bootstrapSecret = (data: Record<string, string> = {}, fields: Partial<KubeObject> = {}) => ({
  type: 'bootstrap.kubernetes.io/token',
  data: encoded({
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
    ...data,
  }),
  ...fields,
})

test('verifyBootstrapToken: returns the token ID and the groups of its Secret', () => {
  const cluster = new TestCluster()
  const groups = 'system:bootstrappers:kubeadm:default-node-token,system:bootstrappers:a'
  cluster.put('secrets', 'kube-system', 'bootstrap-token-abcdef', bootstrapSecret({ 'auth-extra-groups': groups }))
  const identity = cluster.authenticate('abcdef.0123456789abcdef')
  assert.equal(identity.username, 'system:bootstrap:abcdef')
  assert.deepEqual(identity.groups, [
    'system:bootstrappers',
    'system:bootstrappers:a',
    'system:bootstrappers:kubeadm:default-node-token',
    'system:authenticated',
  ])
  cluster.remove('secrets', 'kube-system', 'bootstrap-token-abcdef')
  assert.throws(() => cluster.authenticate('abcdef.0123456789abcdef'), isUnauthorized)
})

test('verifyBootstrapToken: refuses tokens that are invalid, expired, disabled or with forbidden groups', () => {
  const cases: Record<string, Partial<KubeObject>> = {
    'another secret': bootstrapSecret({ 'token-secret': 'fedcba9876543210' }),
    'a shorter secret': bootstrapSecret({ 'token-secret': '0123' }),
    'another id': bootstrapSecret({ 'token-id': 'zzzzzz' }),
    'another type': bootstrapSecret({}, { type: 'Opaque' }),
    expired: bootstrapSecret({ expiration: '2026-03-01T11:59:59Z' }),
    'an unreadable expiry': bootstrapSecret({ expiration: 'tomorrow' }),
    'not for authentication': bootstrapSecret({ 'usage-bootstrap-authentication': 'false' }),
    'a group beyond': bootstrapSecret({ 'auth-extra-groups': 'system:masters' }),
    'being deleted': bootstrapSecret({}, { metadata: { deletionTimestamp: '2026-03-01T12:00:00Z' } }),
  }
  for (const [name, fields] of Object.entries(cases)) {
    const cluster = new TestCluster()
    cluster.put('secrets', 'kube-system', 'bootstrap-token-abcdef', fields)
    assert.throws(() => cluster.authenticate('abcdef.0123456789abcdef'), isUnauthorized, name)
  }
})

test('Authenticator: refuses a bootstrap token after its expiry, even if it is cached', () => {
  const cluster = new TestCluster()
  cluster.put(
    'secrets',
    'kube-system',
    'bootstrap-token-abcdef',
    bootstrapSecret({ expiration: '2026-03-01T12:00:05Z' }),
  )
  cluster.authenticate('abcdef.0123456789abcdef')
  cluster.advance(5)
  assert.throws(() => cluster.authenticate('abcdef.0123456789abcdef'), isUnauthorized)
})

test('CredentialCache: uses elapsed time if the clock is set back', () => {
  const clock = new FakeClock(NOW)
  const cache = new CredentialCache(clock, 1_000, 3)
  cache.add('a', { identity: ANONYMOUS, dependsOn: [] })
  clock.adjust(-3_600_000)
  clock.advance(999)
  assert.equal(cache.get('a'), ANONYMOUS)
  clock.advance(1)
  assert.equal(cache.get('a'), undefined)
})

test('CredentialCache: is bounded and removes entries by object', () => {
  const clock = new FakeClock(NOW)
  const cache = new CredentialCache(clock, 1_000, 3)
  const proven = (name: string) => ({
    identity: { ...ANONYMOUS, username: name },
    dependsOn: [`secrets/ns/${name}`, 'shared'],
  })
  for (const name of ['a', 'b', 'c', 'd']) cache.add(name, proven(name))
  assert.equal(cache.size, 3)
  assert.equal(cache.get('a'), undefined)
  cache.forget('secrets/ns/b')
  assert.equal(cache.get('b'), undefined)
  clock.advance(999)
  assert.equal(cache.get('c')?.username, 'c')
  clock.advance(1)
  assert.equal(cache.get('c'), undefined)
  cache.forget('shared')
  assert.equal(cache.size, 0)
})

test('Authenticator: authenticates a TLS connection', async (t) => {
  const today = new Date()
  const window = { notBefore: hoursFrom(today, -1), notAfter: hoursFrom(today, 1) }
  const authority = testAuthority('live', today)
  const { authenticator } = new TestCluster({ roots: new TrustRoots([authority.certificate]), clock: systemClock })
  const server = issueClient(authority, { name: 'server' }, { ...window, usages: usagesFromNames(['server auth']) })
  const client = issueClient(authority, { name: 'alice', groups: ['dev'] }, window)
  const pem = (issued: typeof server) => ({
    cert: encodePem('CERTIFICATE', issued.certificate.der),
    key: privateKeyPem(issued.key),
  })
  const listener = createServer({
    ...pem(server),
    ca: authority.certificatePem,
    requestCert: true,
    rejectUnauthorized: false,
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.after(() => listener.close())
  const { port } = listener.address() as { port: number }
  const socket = connect({
    port,
    host: '127.0.0.1',
    ca: authority.certificatePem,
    checkServerIdentity: () => undefined,
    ...pem(client),
  })
  t.after(() => socket.destroy())
  const [connection] = (await once(listener, 'secureConnection')) as [TLSSocket]
  const identity = await authenticator.authenticate({
    certificate: connection.getPeerX509Certificate(),
    authorization: undefined,
  })
  assert.equal(identity.username, 'alice')
  assert.deepEqual(identity.groups, ['dev', 'system:authenticated'])
})
