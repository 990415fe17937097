import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAs, failureOf, testServer, whenObject } from '../testing/test-server.fixture.js'
import type { EmbeddedGroup } from './embedded-group.js'

const metricsGroup: EmbeddedGroup = {
  group: 'metrics.example.test',
  version: 'v1',
  resources: [
    { plural: 'nodemetrics', kind: 'NodeMetrics', namespaced: false, verbs: ['get', 'list'] },
    {
      plural: 'podmetrics',
      kind: 'PodMetrics',
      namespaced: true,
      verbs: ['get', 'list'],
      subresources: [{ name: 'restart', kind: 'PodMetrics', verbs: ['update'] }],
    },
  ],
  serve(exchange, target, identity) {
    const object = { kind: 'NodeMetrics', apiVersion: 'metrics.example.test/v1', metadata: { name: target.name } }
    exchange.reply(
      200,
      { 'Content-Type': 'application/json' },
      Buffer.from(JSON.stringify({ ...object, by: identity.username })),
    )
  },
}

test('embeddedEndpoint: serves, discovers and lists a group of the embedding program', async (t) => {
  const { client } = await testServer(t, { groups: [metricsGroup] })
  const metrics = await client.get<{ by: string }>('/apis/metrics.example.test/v1/nodemetrics/n')
  assert.equal(metrics.by, 'system:apiserver')
  const { resources } = await client.get<{ resources: { name: string }[] }>('/apis/metrics.example.test/v1')
  assert.deepEqual(
    resources.map(({ name }) => name),
    ['nodemetrics', 'podmetrics', 'podmetrics/restart'],
  )
  await whenObject(client, '/apis/apiregistration.k8s.io/v1/apiservices', 'v1.metrics.example.test', () => true)
})

test('embeddedEndpoint: authorizes requests like all others', async (t) => {
  const { server } = await testServer(t, { groups: [metricsGroup] })
  const nobody = clientAs(server, { username: 'jane', uid: '', groups: ['system:authenticated'], extra: {} })
  const refused = await failureOf(nobody.get('/apis/metrics.example.test/v1/nodemetrics/n'))
  assert.equal(refused.code, 403)
})

test('embeddedEndpoint: forwards only the resources, scopes, subresources and verbs that the group lists', async (t) => {
  const { client } = await testServer(t, { groups: [metricsGroup] })
  const root = '/apis/metrics.example.test/v1'
  const cases: [method: string, path: string, status: number][] = [
    ['GET', 'namespaces/a/podmetrics/p', 200],
    ['GET', 'podmetrics', 200],
    ['PUT', 'namespaces/a/podmetrics/p/restart', 200],
    ['PUT', 'namespaces/a/podmetrics/p/restart/now', 200],
    ['GET', 'namespaces/a/nodemetrics', 404],
    ['GET', 'namespaces/a/nodemetrics/n', 404],
    ['GET', 'podmetrics/p', 404],
    ['GET', 'namespaces/a/podmetrics/p/status', 404],
    ['GET', 'namespaces/a/others', 404],
    ['GET', 'namespaces/a/namespaces/b/podmetrics', 404],
    ['DELETE', 'nodemetrics/n', 405],
    ['GET', 'watch/nodemetrics', 405],
    ['GET', 'namespaces/a/podmetrics/p/restart', 405],
  ]
  for (const [method, path, status] of cases) {
    assert.equal((await client.request({ method, path: `${root}/${path}` })).status, status, `${method} ${path}`)
  }
})

test('embeddedEndpoint: does not use a selector to narrow authorization', async (t) => {
  const { server, client } = await testServer(t, { groups: [metricsGroup] })
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const rule = { apiGroups: ['*'], resources: ['*'], resourceNames: ['n'], verbs: ['list'] }
  await client.create(`${rbac}/clusterroles`, { metadata: { name: 'one' }, rules: [rule] })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'one' }
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }]
  await client.create(`${rbac}/clusterrolebindings`, { metadata: { name: 'one' }, roleRef, subjects })
  const jane = clientAs(server, { username: 'jane', uid: '', groups: ['system:authenticated'], extra: {} })
  const status = async (path: string) => (await jane.request({ method: 'GET', path })).status
  assert.equal(await status('/api/v1/nodes?fieldSelector=metadata.name%3Dn'), 200)
  assert.equal(await status('/apis/metrics.example.test/v1/nodemetrics?fieldSelector=metadata.name%3Dn'), 403)
})
