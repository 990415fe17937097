import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { ClusterRole, ClusterRoleBinding } from '@orrery/kinds'
import { createAuthority, DistinguishedName, generateKey, issueLeaf } from '@orrery/kube/pki'
import { Organization } from '@orrery/ovim'
import { OvimFixture } from './ovim-fixture.js'

const DAY_MS = 86_400_000
const now = Date.now()
const [notBefore, notAfter] = [new Date(now - DAY_MS), new Date(now + DAY_MS)]

const newAuthority = (name: string) => createAuthority(name, generateKey().privateKey, notBefore, notAfter)

function clientCertificate(authority: ReturnType<typeof newAuthority>, user: string, ...groups: string[]) {
  const { certificate, key } = issueLeaf(authority, {
    subject: DistinguishedName.of(user, groups),
    usages: ['digital signature', 'client auth'],
    notBefore,
    notAfter,
  } as never)
  return { cert: certificate, key }
}

test('credentials: client certificates of the authority authenticate users and agents, others do not', async (t) => {
  const authority = newAuthority('clients')
  const ovim = await OvimFixture.start(t, { clientAuthority: authority.certificatePem })
  await ovim.client.create(Organization, {
    metadata: { name: 'lab' },
    spec: { users: [{ kind: 'Group', name: 'students' }] },
  })
  await ovim.when(Organization, { name: 'lab' }, ({ status }) => status?.phase === 'Active')
  const student = ovim.rest({}, clientCertificate(authority, 'sam', 'students'))
  assert.equal(await student.status('GET', '/api/v1/vms?organization=lab'), 200)
  const other = ovim.rest({}, clientCertificate(authority, 'otto', 'teachers'))
  assert.equal(await other.status('GET', '/api/v1/vms?organization=lab'), 403)
  const stranger = ovim.rest({}, clientCertificate(newAuthority('others'), 'sam', 'students'))
  assert.equal(await stranger.status('GET', '/api/v1/vms?organization=lab'), 401)

  const user = 'system:open-cluster-management:cluster:east:addon:ovim:agent:a'
  await ovim.client.create(ClusterRole, {
    metadata: { name: 'east' },
    rules: [{ apiGroups: ['ovim.io'], resources: ['zones/agent'], resourceNames: ['east'], verbs: ['update'] }],
  })
  await ovim.client.create(ClusterRoleBinding, {
    metadata: { name: 'east' },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'east' },
    subjects: [{ apiGroup: ClusterRole.group, kind: 'User', name: user }],
  })
  const headers = (zone: string) => ({ 'x-agent-id': 'a', 'x-cluster-id': zone, 'x-zone-id': zone })
  const certificate = clientCertificate(authority, user)
  const poll = '/api/v1/spoke/operations?agent_id=a'
  assert.equal(await ovim.rest(headers('east'), certificate).status('GET', poll), 204)
  assert.equal(await ovim.rest(headers('west'), certificate).status('GET', poll), 403)
})

test('credentials: tokens of a configured OIDC issuer authenticate users', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const issuer = createServer((request, response) => {
    const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
    const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig' }]
    response.end(JSON.stringify(request.url === '/keys' ? { keys } : { issuer: url, jwks_uri: `${url}/keys` }))
  })
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => issuer.close(resolve)))
  const issuerUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
  const ovim = await OvimFixture.start(t, { oidc: [{ issuerUrl, clientId: 'ovim', usernamePrefix: 'oidc:' }] })
  await ovim.client.create(Organization, { metadata: { name: 'lab' }, spec: { users: [{ name: 'oidc:alice' }] } })
  await ovim.when(Organization, { name: 'lab' }, ({ status }) => status?.phase === 'Active')
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const restOf = (sub: string, seconds = 600) => {
    const text = `${encode({ alg: 'RS256', kid: 'k' })}.${encode({ iss: issuerUrl, aud: 'ovim', sub, exp: ovim.clock.now().getTime() / 1_000 + seconds })}`
    const token = `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
    return ovim.rest({ authorization: `Bearer ${token}` })
  }
  assert.equal(await restOf('alice').status('GET', '/api/v1/vms?organization=lab'), 200)
  assert.equal(await restOf('bob').status('GET', '/api/v1/vms?organization=lab'), 403)
  assert.equal(await restOf('alice', -60).status('GET', '/api/v1/vms?organization=lab'), 401)
  assert.equal((await restOf('alice').ok('GET', '/api/v1/auth/info')).username, 'oidc:alice')
  const person = await ovim.person('account')
  assert.equal(await person.rest.status('GET', '/api/v1/auth/info'), 200)
})
