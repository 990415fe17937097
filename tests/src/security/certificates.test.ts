import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cluster, sharedCluster } from './cluster.js'
import { createAuthority, createCsr, DistinguishedName, generateKey, usagesFromNames } from './internals.js'

const cluster = sharedCluster()
const HOUR = 3_600_000
const fromNow = (hours: number) => new Date(Date.now() + hours * HOUR)
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const CERTIFICATES = 'certificates.k8s.io'
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client'

test('client certificates: invalid ones are a 401', async () => {
  const foreign = createAuthority('kubernetes-ca', generateKey().privateKey, fromNow(-1), fromNow(1))
  const masters = ['system:masters']
  const cases: [string, Parameters<Cluster['certificate']>[2]][] = [
    ['expired', { notBefore: fromNow(-3), notAfter: fromNow(-1) }],
    ['not yet valid', { notBefore: fromNow(1), notAfter: fromNow(3) }],
    ['for a server', { usages: usagesFromNames(['digital signature', 'server auth']) }],
    ['for code', { usages: usagesFromNames(['digital signature', 'code signing']) }],
    ['of another authority', { issuer: foreign.issuer }],
  ]
  for (const [what, overrides] of cases) {
    const caller = cluster().caller({ certificate: cluster().certificate('admin', masters, overrides) })
    assert.equal(await caller.status('GET', '/api/v1/namespaces'), 401, what)
    assert.equal(await caller.status('GET', '/healthz'), 401, what)
  }
  assert.equal(await cluster().user('admin', masters).status('GET', '/api/v1/namespaces'), 200)
})

test('client certificates: an invalid one does not affect a valid token', async () => {
  const token = await cluster().token('default', 'holder')
  const certificate = cluster().certificate('admin', ['system:masters'], {
    notBefore: fromNow(-3),
    notAfter: fromNow(-1),
  })
  const caller = cluster().caller({ certificate, token })
  assert.equal(await caller.status('GET', '/api/v1'), 200)
  assert.equal(await caller.status('GET', '/api/v1/secrets'), 403)
})

function csr(name: string, subject: DistinguishedName, spec: object = {}) {
  const keys = generateKey()
  const request = Buffer.from(createCsr({ subject, ...keys })).toString('base64')
  const usages = ['digital signature', 'client auth']
  return { metadata: { name }, spec: { request, signerName: CLIENT_SIGNER, usages, ...spec } }
}

const approval = (object: object) => ({
  ...object,
  status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'test' }] },
})

test('certificatesigningrequests: a request makes no user an administrator', async () => {
  const asking = cluster().user('asking')
  await cluster().allow('asking', undefined, [
    { apiGroups: [CERTIFICATES], resources: ['certificatesigningrequests'], verbs: ['create', 'get'] },
  ])
  const { status, object } = await asking.send(
    'POST',
    CSRS,
    csr('masters', DistinguishedName.of('x', ['system:masters'])),
  )
  assert.equal(status, 403)
  assert.match(object.message ?? '', /system:masters/)
  assert.equal(await asking.status('POST', CSRS, csr('plain', DistinguishedName.of('x', ['people']))), 201)
})

test('certificatesigningrequests: the requesting user is recorded by the server', async () => {
  const liar = cluster().user('liar', ['humans'])
  await cluster().allow('liar', undefined, [
    { apiGroups: [CERTIFICATES], resources: ['certificatesigningrequests'], verbs: ['create'] },
  ])
  const claimed = { username: 'system:admin', groups: ['system:masters'], uid: '0', extra: { a: ['b'] } }
  const { object } = await liar.send('POST', CSRS, csr('claims', DistinguishedName.of('x'), claimed))
  const spec = object.spec as { username: string; groups: string[]; uid?: string }
  assert.equal(spec.username, 'liar')
  assert.deepEqual(spec.groups, ['humans', 'system:authenticated'])
  assert.equal(spec.uid ?? '', '')
})

test('certificatesigningrequests: approving and signing require permission for the signer', async () => {
  const name = 'wanted'
  const made = await cluster().create(CSRS, csr(name, DistinguishedName.of('x'), { signerName: 'example.test/signer' }))
  const approve = { apiGroups: [CERTIFICATES], resources: ['certificatesigningrequests/approval'], verbs: ['update'] }
  const sign = { apiGroups: [CERTIFICATES], resources: ['certificatesigningrequests/status'], verbs: ['update'] }
  await cluster().allow('half-approver', undefined, [approve, sign])
  const half = cluster().user('half-approver')
  const approved = approval(made)
  const refused = await half.send('PUT', `${CSRS}/${name}/approval`, approved)
  assert.equal(refused.status, 403)
  assert.match(refused.object.message ?? '', /user not permitted to approve requests with signerName/)
  const failed = { type: 'Failed', status: 'True', reason: 'Test', message: 'test' }
  const signed = { ...made, status: { conditions: [failed] } }
  assert.equal(await half.status('PUT', `${CSRS}/${name}/status`, signed), 403)

  const signers = (resourceNames: string[], verbs: string[]) => ({
    apiGroups: [CERTIFICATES],
    resources: ['signers'],
    resourceNames,
    verbs,
  })
  await cluster().allow('other-approver', undefined, [approve, signers(['example.test/other'], ['approve'])])
  assert.equal(await cluster().user('other-approver').status('PUT', `${CSRS}/${name}/approval`, approved), 403)
  await cluster().allow('approver', undefined, [approve, signers(['example.test/*'], ['approve'])])
  const approver = cluster().user('approver')
  assert.equal(await approver.status('PUT', `${CSRS}/${name}/status`, signed), 403)
  assert.equal(await approver.status('PUT', `${CSRS}/${name}/approval`, approved), 200)
})

test('certificatesigningrequests: requesting and approving are separate permissions', async () => {
  await cluster().allow('self-approver', undefined, [
    { apiGroups: [CERTIFICATES], resources: ['certificatesigningrequests'], verbs: ['*'] },
  ])
  const self = cluster().user('self-approver')
  const made = await self.send('POST', CSRS, csr('mine', DistinguishedName.of('x')))
  assert.equal(made.status, 201)
  assert.equal(await self.status('PUT', `${CSRS}/mine/approval`, approval(made.object)), 403)
  // The object itself does not accept a status.
  await self.send('PUT', `${CSRS}/mine`, approval(made.object))
  const { object } = await cluster().admin.send('GET', `${CSRS}/mine`)
  assert.equal((object.status as { conditions?: unknown[] } | undefined)?.conditions, undefined)
})
