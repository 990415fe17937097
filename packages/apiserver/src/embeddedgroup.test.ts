import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmbeddedGroup } from './embeddedgroup.js'
import { eventually, failureOf, testServer } from './testing/testserver.js'

const metricsGroup: EmbeddedGroup = {
  group: 'metrics.example.test',
  version: 'v1',
  resources: [{ plural: 'nodemetrics', kind: 'NodeMetrics', namespaced: false, verbs: ['get', 'list'] }],
  serve(exchange, target, identity) {
    const object = { kind: 'NodeMetrics', apiVersion: 'metrics.example.test/v1', metadata: { name: target.name } }
    exchange.reply(
      200,
      { 'Content-Type': 'application/json' },
      Buffer.from(JSON.stringify({ ...object, by: identity.username })),
    )
  },
}

test('a group of the embedder is served, discovered and listed', async (t) => {
  const { client } = await testServer(t, { groups: [metricsGroup] })
  const metrics = await client.get<{ by: string }>('/apis/metrics.example.test/v1/nodemetrics/n')
  assert.equal(metrics.by, 'system:apiserver')
  const { resources } = await client.get<{ resources: { name: string }[] }>('/apis/metrics.example.test/v1')
  assert.deepEqual(
    resources.map(({ name }) => name),
    ['nodemetrics'],
  )
  await eventually(client, '/apis/apiregistration.k8s.io/v1/apiservices', 'v1.metrics.example.test', () => true)
})

test('its requests are authorised like all others', async (t) => {
  const { server } = await testServer(t, { groups: [metricsGroup] })
  const nobody = server.client({ username: 'jane', uid: '', groups: ['system:authenticated'], extra: {} })
  const refused = await failureOf(nobody.get('/apis/metrics.example.test/v1/nodemetrics/n'))
  assert.equal(refused.code, 403)
})
