import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOf, testServer } from './testing/test-server.fixture.js'

const MAPS = '/api/v1/namespaces/default/configmaps'

test('a client in the process does all that one over the network does', async (t) => {
  const { client } = await testServer(t)
  const made = await client.create(MAPS, { metadata: { name: 'a' }, data: { k: '1' } })
  await client.patch(`${MAPS}/a`, [{ op: 'replace', path: '/data/k', value: '2' }], 'json')
  await client.patch(`${MAPS}/a`, { data: { l: '3' } }, 'strategic')
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { m: '4' } }
  await client.patch(`${MAPS}/a?fieldManager=me`, config, 'apply')
  assert.deepEqual((await client.get(`${MAPS}/a`)).data, { k: '2', l: '3', m: '4' })
  await client.update(`${MAPS}/a`, { metadata: { name: 'a' }, data: {} })
  await client.delete(`${MAPS}/a`, { preconditions: { uid: made.metadata.uid } })
  assert.equal((await failureOf(client.get(`${MAPS}/a`))).reason, 'NotFound')
})

test('a watch ends with its signal', async (t) => {
  const { client } = await testServer(t)
  const stop = new AbortController()
  const seen: string[] = []
  for await (const { type } of client.watch(`${MAPS}?fieldSelector=metadata.name=kube-root-ca.crt`, stop.signal)) {
    seen.push(type)
    stop.abort()
  }
  assert.deepEqual(seen, ['ADDED'])
})

test('a watch that is refused throws the Status', async (t) => {
  const { client } = await testServer(t)
  const refused = await failureOf(client.watch(`${MAPS}?labelSelector=a%20b`).next())
  assert.equal(refused.code, 400)
})

test('everybody is who the server says, and nobody else', async (t) => {
  const { server } = await testServer(t)
  const jane = server.client({ username: 'jane', uid: '', groups: ['system:authenticated'], extra: {} })
  assert.equal((await failureOf(jane.get(MAPS))).code, 403)
  const review = await jane.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
  assert.deepEqual((review.status as { userInfo: { username: string } }).userInfo.username, 'jane')
})
