import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { eventsUntil, failureOf, testServer } from '../testing/test-server.fixture.js'

const CORE = '/api/v1/namespaces/default/events'
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events'

const event = (name: string, pod: string) => ({
  metadata: { name },
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'example.test/c',
  reportingInstance: 'i',
  action: 'Act',
  reason: 'Because',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: pod },
})

test('parseSelection: selects events by the fields of each group', async (t) => {
  const { client } = await testServer(t)
  await client.create(EVENTS, event('one', 'p'))
  await client.create(EVENTS, event('two', 'q'))
  const names = async (path: string) =>
    (await client.get<{ items: KubeObject[] }>(path)).items.map(({ metadata }) => metadata.name)
  assert.deepEqual(await names(`${EVENTS}?fieldSelector=regarding.name=p`), ['one'])
  assert.deepEqual(await names(`${EVENTS}?fieldSelector=regarding.name!=p,reportingController=example.test/c`), ['two'])
  assert.deepEqual(await names(`${CORE}?fieldSelector=involvedObject.name=p`), ['one'])
  assert.equal((await failureOf(client.get(`${EVENTS}?fieldSelector=involvedObject.name=p`))).code, 400)
  const [seen] = await eventsUntil(client, `${EVENTS}?fieldSelector=regarding.name=q`, () => true)
  assert.equal(seen?.object.metadata.name, 'two')
})

test('parseSelection: returns a 400 for an invalid selector', async (t) => {
  const { client } = await testServer(t)
  for (const query of ['labelSelector=a%20b', 'fieldSelector=a', 'fieldSelector=data.k=v']) {
    assert.equal((await failureOf(client.get(`/api/v1/namespaces/default/configmaps?${query}`))).code, 400, query)
  }
})
