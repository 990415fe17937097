import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Cluster } from './cluster.js'

test('anonymous: can read health and version, and nothing else', async (t) => {
  const cluster = await Cluster.start(t)
  const nobody = cluster.caller({})
  for (const path of ['/healthz', '/livez', '/readyz', '/version']) {
    assert.equal(await nobody.status('GET', path), 200, path)
  }
  const closed = [
    '/',
    '/api',
    '/apis',
    '/api/v1',
    '/apis/apps/v1',
    '/openapi/v2',
    '/openapi/v3',
    '/metrics',
    '/orrery/backup',
    '/.well-known/openid-configuration',
    '/openid/v1/jwks',
    '/api/v1/namespaces',
    '/api/v1/secrets',
    '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
    '/nowhere',
    '/livez/ping',
    '//healthz/../api',
    '/healthz/../metrics',
    '/version/../api/v1/secrets',
    '/%61pi',
  ]
  for (const path of closed) {
    const { status, object, text } = await nobody.send('GET', path)
    assert.equal(status, 403, `${path}: ${text}`)
    assert.equal(object.kind, 'Status')
    assert.match(object.message ?? '', /"system:anonymous" cannot/)
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH merge']) {
    assert.equal(await nobody.status(method, '/api/v1/namespaces/default', {}), 403, method)
  }
  assert.equal(await nobody.status('POST', '/orrery/compact'), 403)
  assert.equal(await nobody.status('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {}), 403)
})

test('anonymous: invalid credentials are a 401, not an anonymous request', async (t) => {
  const cluster = await Cluster.start(t)
  for (const token of ['x', 'a.b.c', 'abcdef.0123456789abcdef', 'x'.repeat(10_000), '\u00e9']) {
    const { status, object } = await cluster.caller({ token }).send('GET', '/healthz')
    assert.deepEqual([status, object.kind, object.reason], [401, 'Status', 'Unauthorized'], token)
  }
  const basic = cluster.caller({ headers: { authorization: 'Basic YWRtaW46YWRtaW4=' } })
  assert.equal(await basic.status('GET', '/api/v1/namespaces'), 403)
})

test('permissions: a user with a certificate may not do what only administrators may', async (t) => {
  const cluster = await Cluster.start(t)
  const user = cluster.user('ann')
  assert.equal(await user.status('GET', '/api/v1'), 200)
  assert.equal(await user.status('GET', '/metrics'), 403)
  assert.equal(await user.status('GET', '/orrery/backup'), 403)
  assert.equal(await user.status('POST', '/orrery/compact'), 403)
  assert.equal(await cluster.admin.status('GET', '/metrics'), 200)
  assert.equal(await cluster.admin.status('POST', '/orrery/compact'), 200)
})

test('data directory: only the owner can read files with keys', async (t) => {
  const { server } = await Cluster.start(t)
  const pki = join(server.dataDirectory, 'pki')
  const files = [server.kubeconfig, ...(await readdir(pki)).map((name) => join(pki, name))]
  for (const file of files) assert.equal((await stat(file)).mode & 0o777, 0o600, file)
  assert.equal((await stat(pki)).mode & 0o777, 0o700)
})
