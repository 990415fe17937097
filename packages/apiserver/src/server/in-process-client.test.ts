import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigMap, SelfSubjectReview } from '@orrery/kinds'
import type { AdmissionPlugin } from '../admission/types.js'
import { failureOf, testServer } from '../testing/test-server.fixture.js'

const NAMED = { namespace: 'default', name: 'a' }

test('ApiServer: provides a client with the abilities of a network client', async (t) => {
  const { server } = await testServer(t)
  const client = server.client({ fieldManager: 'me' })
  const made = await client.create(ConfigMap, { metadata: NAMED, data: { k: '1' } })
  await client.patch(ConfigMap, NAMED, [{ op: 'replace', path: '/data/k', value: '2' }], { type: 'json' })
  await client.patch(ConfigMap, NAMED, { data: { l: '3' } }, { type: 'strategic' })
  await client.apply(ConfigMap, { metadata: NAMED, data: { m: '4' } })
  const changed = await client.get(ConfigMap, NAMED)
  assert.deepEqual(changed.data, { k: '2', l: '3', m: '4' })
  assert.deepEqual(
    changed.metadata.managedFields?.map(({ manager, operation }) => [manager, operation]),
    [
      ['me', 'Apply'],
      ['me', 'Update'],
    ],
  )
  await client.update(ConfigMap, { metadata: NAMED, data: {} })
  await client.delete(ConfigMap, NAMED, { preconditions: { uid: made.metadata.uid } })
  assert.equal((await failureOf(client.get(ConfigMap, NAMED))).reason, 'NotFound')
})

test('ApiServer: ends a watch of its client with the signal', async (t) => {
  const { server } = await testServer(t)
  const stop = new AbortController()
  const seen: string[] = []
  const only = { namespace: 'default', fieldSelector: 'metadata.name=kube-root-ca.crt', signal: stop.signal }
  for await (const { type } of server.client().watch(ConfigMap, only)) {
    seen.push(type)
    stop.abort()
  }
  assert.deepEqual(seen, ['ADDED'])
})

test('ApiServer: throws the Status of a refused watch', async (t) => {
  const { server } = await testServer(t)
  const refused = await failureOf(server.client().watch(ConfigMap, { labelSelector: 'a b' }).next())
  assert.equal(refused.code, 400)
})

test('ApiServer: makes a client act as its identity', async (t) => {
  const { server } = await testServer(t)
  const jane = server.client({
    identity: { username: 'jane', uid: '', groups: ['system:authenticated'], extra: {} },
  })
  assert.equal((await failureOf(jane.list(ConfigMap, { namespace: 'default' }))).code, 403)
  const review = await jane.create(SelfSubjectReview, { metadata: {} })
  assert.equal(review.status?.userInfo?.username, 'jane')
})

test('ApiServer: does not serve a request of its client whose signal is aborted', async (t) => {
  const { server } = await testServer(t)
  const client = server.client()
  const aborted = client.create(ConfigMap, { metadata: NAMED }, { signal: AbortSignal.abort() })
  await assert.rejects(aborted, { name: 'AbortError' })
  assert.equal(await client.find(ConfigMap, NAMED), undefined)
})

test('ApiServer: rejects a request of its client when the signal is aborted, and does not wait for the response', async (t) => {
  const stop = new AbortController()
  let admit = (): void => undefined
  const slow: AdmissionPlugin = {
    name: 'Slow',
    validate({ name }) {
      if (name !== NAMED.name) return
      stop.abort(new Error('stopped'))
      return new Promise((resolve) => {
        admit = resolve
      })
    },
  }
  const { server } = await testServer(t, { admission: () => [slow] })
  const created = server.client().create(ConfigMap, { metadata: NAMED }, { signal: stop.signal })
  await assert.rejects(created, /stopped/)
  admit()
})

test('ApiServer: rejects a request of its client that is aborted before the response is read', async (t) => {
  const { server } = await testServer(t)
  const stop = new AbortController()
  const response = await server.client().raw({ method: 'GET', path: '/version', signal: stop.signal })
  stop.abort(new Error('stopped'))
  await assert.rejects(response.bytes(), /stopped/)
})
