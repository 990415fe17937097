import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sharedCluster } from './cluster.js'

const cluster = sharedCluster()
const DEFAULT = '/api/v1/namespaces/default'

/** Whether a token is still valid. */
const works = (token: string) => cluster().caller({ token }).status('GET', '/api/v1')

const json = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('tokens: a modified token is rejected', async () => {
  const token = await cluster().token('default', 'sealed')
  const [header = '', payload = '', signature = ''] = token.split('.')
  const claims = json(payload)
  const key = (await cluster().admin.send('GET', '/openid/v1/jwks')).text
  const forged: string[] = [
    `${header}.${encode({ ...claims, sub: 'system:serviceaccount:kube-system:default' })}.${signature}`,
    `${header}.${encode({ ...claims, exp: 99_999_999_999 })}.${signature}`,
    `${encode({ alg: 'none' })}.${payload}.`,
    `${encode({ alg: 'none', kid: json(header).kid })}.${payload}.`,
    `${encode({ alg: 'None' })}.${payload}.${signature}`,
    `${encode({ alg: 'HS256', kid: json(header).kid })}.${payload}.${createHmac('sha256', key).update(payload).digest('base64url')}`,
    `${header}.${payload}.${randomBytes(64).toString('base64url')}`,
    `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${token}=`,
    `${token}.x`,
    token.slice(0, -1),
    `${encode({ ...json(header), crit: ['exp'] })}.${payload}.${signature}`,
  ]
  assert.equal(await works(token), 200)
  for (const bad of forged) assert.equal(await works(bad), 401, bad)
})

test('tokens: one for another audience is rejected', async () => {
  const token = await cluster().token('default', 'guest', { audiences: ['vault'] })
  assert.equal(await works(token), 401)
  const review = (audiences: string[]) =>
    cluster().create('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } })
  assert.equal(((await review(['vault'])).status as { authenticated?: boolean }).authenticated, true)
  assert.equal(((await review(['other'])).status as { authenticated?: boolean }).authenticated ?? false, false)
  assert.equal(((await review([])).status as { authenticated?: boolean }).authenticated ?? false, false)
})

test('tokens: end with their account at once, and do not become valid with a new one of the same name', async () => {
  const token = await cluster().token('default', 'leaver')
  assert.equal(await works(token), 200)
  assert.equal(await cluster().admin.status('DELETE', `${DEFAULT}/serviceaccounts/leaver`), 200)
  assert.equal(await works(token), 401)
  await cluster().create(`${DEFAULT}/serviceaccounts`, { metadata: { name: 'leaver' } })
  assert.equal(await works(token), 401)
})

test('tokens: end with the pod or secret they are bound to', async () => {
  await cluster().token('default', 'bound')
  const pod = {
    metadata: { name: 'p' },
    spec: { serviceAccountName: 'bound', containers: [{ name: 'c', image: 'i' }] },
  }
  await cluster().create(`${DEFAULT}/pods`, pod)
  await cluster().create(`${DEFAULT}/secrets`, { metadata: { name: 's' } })
  for (const [kind, name, path] of [
    ['Pod', 'p', 'pods/p?gracePeriodSeconds=0'],
    ['Secret', 's', 'secrets/s'],
  ] as const) {
    const token = await cluster().token('default', 'bound', { boundObjectRef: { apiVersion: 'v1', kind, name } })
    assert.equal(await works(token), 200, kind)
    assert.equal(await cluster().admin.status('DELETE', `${DEFAULT}/${path}`), 200)
    assert.equal(await works(token), 401, kind)
  }
  const other = { metadata: { name: 'q' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  await cluster().create(`${DEFAULT}/pods`, other)
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'q' }
  assert.equal(
    await cluster().admin.status('POST', `${DEFAULT}/serviceaccounts/bound/token`, { spec: { boundObjectRef } }),
    400,
  )
})

test('tokens: one in a Secret ends with the Secret', async () => {
  await cluster().token('default', 'old-style')
  const secret = {
    metadata: { name: 'old-style-token', annotations: { 'kubernetes.io/service-account.name': 'old-style' } },
    type: 'kubernetes.io/service-account-token',
  }
  await cluster().create(`${DEFAULT}/secrets`, secret)
  let token = ''
  while (token === '') {
    const { object } = await cluster().admin.send('GET', `${DEFAULT}/secrets/old-style-token`)
    token = Buffer.from((object.data as { token?: string } | undefined)?.token ?? '', 'base64').toString()
  }
  assert.equal(await works(token), 200)
  assert.equal(await cluster().admin.status('DELETE', `${DEFAULT}/secrets/old-style-token`), 200)
  assert.equal(await works(token), 401)
})

test("tokens: bootstrap tokens are valid until their Secret's expiration", async () => {
  const secrets = '/api/v1/namespaces/kube-system/secrets'
  const make = (id: string, data: Record<string, string>) =>
    cluster().create(secrets, {
      metadata: { name: `bootstrap-token-${id}` },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': id,
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-authentication': 'true',
        ...data,
      },
    })
  await make('abcde0', {})
  await make('abcde1', { expiration: new Date(Date.now() - 1000).toISOString() })
  await make('abcde2', { 'usage-bootstrap-authentication': 'false' })
  await make('abcde3', { 'auth-extra-groups': 'system:masters' })
  assert.equal(await works('abcde0.0123456789abcdef'), 200)
  assert.equal(await works('abcde0.0123456789abcdee'), 401)
  for (const id of ['abcde1', 'abcde2', 'abcde3']) assert.equal(await works(`${id}.0123456789abcdef`), 401, id)
  assert.equal(await cluster().admin.status('DELETE', `${secrets}/bootstrap-token-abcde0`), 200)
  assert.equal(await works('abcde0.0123456789abcdef'), 401)
})

test('tokens: a rejected token discloses nothing', async () => {
  const token = await cluster().token('default', 'modest')
  const modest = cluster().caller({ token })
  assert.equal(await modest.status('GET', '/api/v1/namespaces/default/secrets'), 403)
  assert.equal(
    await modest.status('POST', '/api/v1/namespaces/default/serviceaccounts/modest/token', { spec: {} }),
    403,
  )
  assert.equal(await modest.status('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } }), 403)
})
