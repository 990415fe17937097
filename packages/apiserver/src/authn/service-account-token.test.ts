import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnauthorized, StatusError } from '@orrery/kinds/values'
import { generateKey } from '@orrery/kube/pki'
import { TokenSigner } from './jwt.js'
import { reviewSelf, reviewToken } from './reviews.js'
import { encoded, ISSUER, TestCluster } from './testing.fixture.js'
import { issueSecretToken, issueToken } from './token-request.js'

const rejected = (cluster: TestCluster, token: string) =>
  assert.throws(() => cluster.authenticate(token), isUnauthorized)

test('verifyServiceAccountToken: accepts a bound token of its service account', () => {
  const cluster = new TestCluster()
  const identity = cluster.authenticate(cluster.token())
  assert.equal(identity.username, 'system:serviceaccount:ns:bot')
  assert.equal(identity.uid, 'uid-bot')
  assert.deepEqual(identity.groups, ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'])
  assert.match(identity.extra['authentication.kubernetes.io/credential-id']?.[0] ?? '', /^JTI=[0-9a-f-]{36}$/)
})

test('Authenticator: returns the same identity for a cached token', () => {
  const cluster = new TestCluster()
  const token = cluster.token()
  assert.equal(cluster.authenticate(token), cluster.authenticate(token))
})

test('verifyServiceAccountToken: refuses a token from the moment of its expiry', () => {
  const cluster = new TestCluster()
  const token = cluster.token({ expirationSeconds: 600 })
  cluster.authenticate(token)
  cluster.advance(599)
  cluster.authenticate(token)
  cluster.advance(1)
  rejected(cluster, token)
})

test('verifyServiceAccountToken: refuses a token after its account was deleted or recreated', () => {
  const cluster = new TestCluster()
  const token = cluster.token()
  cluster.authenticate(token)
  cluster.remove('serviceaccounts', 'ns', 'bot')
  rejected(cluster, token)
  cluster.put('serviceaccounts', 'ns', 'bot', { metadata: { uid: 'another' } })
  rejected(cluster, token)
  cluster.put('serviceaccounts', 'ns', 'bot')
  cluster.authenticate(token)
})

test('verifyServiceAccountToken: accepts a token bound to a pod only while the pod exists', () => {
  const cluster = new TestCluster()
  cluster.put('pods', 'ns', 'web', { spec: { serviceAccountName: 'bot', nodeName: 'n1' } })
  cluster.put('nodes', '', 'n1')
  const token = cluster.token({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web' } })
  const identity = cluster.authenticate(token)
  const extra = (key: string) => identity.extra[`authentication.kubernetes.io/${key}`]
  assert.deepEqual(
    [extra('pod-name'), extra('pod-uid'), extra('node-name'), extra('node-uid')],
    [['web'], ['uid-web'], ['n1'], ['uid-n1']],
  )
  cluster.put('pods', 'ns', 'web', { metadata: { deletionTimestamp: cluster.now.toISOString() } })
  cluster.authenticate(token)
  cluster.advance(61)
  rejected(cluster, token)
  cluster.remove('pods', 'ns', 'web')
  rejected(cluster, token)
})

test('verifyServiceAccountToken: supports tokens bound to Secrets and nodes', () => {
  for (const [kind, resource, namespace] of [
    ['Secret', 'secrets', 'ns'],
    ['Node', 'nodes', ''],
  ] as const) {
    const cluster = new TestCluster()
    cluster.put(resource, namespace, 'x')
    const token = cluster.token({ boundObjectRef: { apiVersion: 'v1', kind, name: 'x', uid: 'uid-x' } })
    cluster.authenticate(token)
    cluster.put(resource, namespace, 'x', { metadata: { uid: 'another' } })
    rejected(cluster, token)
  }
})

test('verifyServiceAccountToken: refuses other audiences, other issuers and future tokens', async () => {
  const cluster = new TestCluster()
  const token = cluster.token({ audiences: ['vault'] })
  rejected(cluster, token)
  const stranger = new TokenSigner(generateKey().privateKey)
  rejected(cluster, cluster.token({}, { signer: stranger }))
  rejected(cluster, cluster.token({}, { issuer: 'https://elsewhere' }))
  cluster.advance(3600)
  const early = cluster.token()
  cluster.advance(-3600)
  rejected(cluster, early)
  const review = await cluster.authenticator.review(token, ['vault', 'other'])
  assert.deepEqual('audiences' in review && review.audiences, ['vault'])
})

test('issueToken: validates the request', () => {
  const cluster = new TestCluster()
  cluster.put('pods', 'ns', 'other', { spec: { serviceAccountName: 'somebody' } })
  const refuse = (spec: Record<string, unknown>, code: number, message: RegExp) =>
    assert.throws(
      () => cluster.token(spec),
      (error) => error instanceof StatusError && error.code === code && message.test(error.message),
    )
  const bound = (fields: object) => ({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'other', ...fields } })
  refuse(
    { expirationSeconds: 599 },
    422,
    /spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes/,
  )
  refuse({ expirationSeconds: 2 ** 32 + 1 }, 422, /larger than 2\^32 seconds/)
  refuse(bound({}), 400, /cannot bind token for serviceaccount "bot" to pod running with different serviceaccount name/)
  refuse(bound({ name: 'gone' }), 404, /pods "gone" not found/)
  refuse(bound({ kind: 'ConfigMap' }), 400, /cannot bind token to object of type \/v1, Kind=ConfigMap/)
  cluster.put('pods', 'ns', 'mine', { spec: { serviceAccountName: 'bot' } })
  refuse(bound({ name: 'mine', uid: 'old' }), 409, /does not match the UID in record/)
  const request = (metadata: object) => () =>
    issueToken(
      { namespace: 'ns', name: 'bot' },
      { apiVersion: 'v1', kind: 'TokenRequest', metadata, spec: {} },
      cluster.now,
      cluster.issuing,
    )
  assert.throws(request({ name: 'x' }), /must match the service account name if specified/)
  assert.throws(request({ namespace: 'x' }), /must match the service account namespace if specified/)
  assert.throws(request({ uid: 'x' }), /does not match the UID of the service account/)
})

test('issueToken: returns the request with token and expiry', () => {
  const cluster = new TestCluster()
  cluster.put('serviceaccounts', 'ns', 'bot')
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds: 7200 },
  }
  const { object, warnings } = issueToken({ namespace: 'ns', name: 'bot' }, body, cluster.now, {
    ...cluster.issuing,
    maxSeconds: 3600,
  })
  assert.deepEqual(object.metadata, {
    name: 'bot',
    namespace: 'ns',
    uid: 'uid-bot',
    creationTimestamp: '2026-03-01T12:00:00Z',
  })
  assert.deepEqual(object.spec, { audiences: [ISSUER], expirationSeconds: 3600, boundObjectRef: null })
  assert.equal((object.status as { expirationTimestamp: string }).expirationTimestamp, '2026-03-01T13:00:00Z')
  assert.deepEqual(warnings, ['requested expiration of 7200 seconds shortened to 3600 seconds'])
})

test('issueToken: extends the lifetime of a mounted token', () => {
  const cluster = new TestCluster()
  cluster.put('pods', 'ns', 'web', { spec: { serviceAccountName: 'bot' } })
  const token = cluster.token({
    expirationSeconds: 3607,
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web' },
  })
  cluster.advance(24 * 3600)
  cluster.authenticate(token)
})

test('verifyServiceAccountToken: accepts a token in a Secret while the Secret contains it', () => {
  const cluster = new TestCluster()
  const account = cluster.put('serviceaccounts', 'ns', 'bot')
  const token = issueSecretToken(account, 'bot-token', cluster.signer)
  rejected(cluster, token)
  cluster.put('secrets', 'ns', 'bot-token', { data: encoded({ token }) })
  const identity = cluster.authenticate(token)
  assert.equal(identity.username, 'system:serviceaccount:ns:bot')
  cluster.put('secrets', 'ns', 'bot-token', { data: encoded({ token: `${token}x` }) })
  rejected(cluster, token)
  cluster.put('secrets', 'ns', 'bot-token', {
    data: encoded({ token }),
    metadata: { labels: { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' } },
  })
  rejected(cluster, token)
  cluster.remove('secrets', 'ns', 'bot-token')
  rejected(cluster, token)
})

test('reviewToken: returns the owner of a token or the problem', async () => {
  const cluster = new TestCluster()
  const review = (spec: object) =>
    reviewToken(
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { ...spec } },
      cluster.authenticator,
    )
  const good = (await review({ token: cluster.token() })).status as {
    authenticated: boolean
    user: { username: string }
    audiences: string[]
  }
  assert.equal(good.authenticated, true)
  assert.equal(good.user.username, 'system:serviceaccount:ns:bot')
  assert.deepEqual(good.audiences, [ISSUER])
  assert.deepEqual((await review({ token: 'nonsense' })).status, { user: {}, error: 'invalid bearer token' })
  const foreign = (await review({ token: cluster.token(), audiences: ['vault'] })).status as { error: string }
  assert.equal(
    foreign.error,
    `[invalid bearer token, token audiences ["${ISSUER}"] is invalid for the target audiences ["vault"]]`,
  )
  await assert.rejects(review({}), /token is required/)
})

test('reviewSelf: returns the identity of the caller', () => {
  const identity = { username: 'alice', uid: '', groups: ['dev'], extra: { scope: ['a'] } }
  const now = new Date('2026-03-01T12:00:00Z')
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} }
  assert.deepEqual(reviewSelf(review, identity, now), {
    ...review,
    metadata: { creationTimestamp: '2026-03-01T12:00:00Z' },
    status: { userInfo: { username: 'alice', groups: ['dev'], extra: { scope: ['a'] } } },
  })
})
