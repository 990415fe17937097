import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { failureOf, testServer } from '../../testing/test-server.fixture.js'

test('finalize: writes only the finalizers of a namespace', async (t) => {
  const { client } = await testServer(t)
  await client.create('/api/v1/namespaces', { metadata: { name: 'n' } })
  const path = '/api/v1/namespaces/n/finalize'
  const finalizers = ['kubernetes', 'example.test/f']
  const done = await client.update(path, { metadata: { name: 'n', labels: { a: 'b' } }, spec: { finalizers } })
  assert.deepEqual(done.spec, { finalizers })
  assert.equal(done.metadata.labels?.a, undefined)
  const other = await failureOf(client.update(path, { metadata: { name: 'm' }, spec: {} }))
  assert.match(other.message, /the name of the object \(m\) does not match the name on the URL \(n\)/)
  const stale = await failureOf(client.update(path, { metadata: { name: 'n', resourceVersion: '1' }, spec: {} }))
  assert.equal(stale.code, 409)
  assert.equal((await failureOf(client.get(path))).code, 405)
})

test('ephemeralContainers, resize: write only their part of a pod', async (t) => {
  const { client } = await testServer(t)
  const pods = '/api/v1/namespaces/default/pods'
  await client.create(pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
  const added = [{ name: 'debug', image: 'd', terminationMessagePolicy: 'File' }]
  const pod = await client.patch<KubeObject>(
    `${pods}/p/ephemeralcontainers`,
    { metadata: { labels: { a: 'b' } }, spec: { ephemeralContainers: added } },
    'strategic',
  )
  assert.equal((pod.spec as { ephemeralContainers: object[] }).ephemeralContainers.length, 1)
  assert.equal(pod.metadata.labels, undefined)
  assert.equal((await failureOf(client.delete(`${pods}/p/log`))).code, 405)
  assert.equal((await failureOf(client.update(`${pods}/p/exec`, {}))).code, 405)
})
