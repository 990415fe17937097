import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import type { PathClient } from '../testing/path-client.fixture.js'
import { failureOf, testServer } from '../testing/test-server.fixture.js'

const MAPS = '/api/v1/namespaces/default/configmaps'
const NAMES = ['a', 'b', 'c']

async function filled(t: Parameters<typeof testServer>[0]): Promise<PathClient> {
  const { client } = await testServer(t)
  await Promise.all(NAMES.map((name) => client.create(MAPS, { metadata: { name, labels: { of: 'test' } } })))
  return client
}

async function left(client: PathClient): Promise<(string | undefined)[]> {
  const { items } = await client.get<{ items: KubeObject[] }>(`${MAPS}?labelSelector=of`)
  return items.map(({ metadata }) => metadata.name)
}

test('removeCollection: deletes page by page on request', async (t) => {
  const client = await filled(t)
  const page = await client.delete<{ items: KubeObject[] }>(`${MAPS}?labelSelector=of&limit=2`)
  assert.deepEqual(
    page.items.map(({ metadata }) => metadata.name),
    ['a', 'b'],
  )
  assert.deepEqual(await left(client), ['c'])
})

test('removeCollection: keeps everything in a dry run or if a precondition fails', async (t) => {
  const client = await filled(t)
  await client.delete(`${MAPS}?labelSelector=of&dryRun=All`)
  const refused = await failureOf(client.delete(`${MAPS}?labelSelector=of`, { preconditions: { uid: 'other' } }))
  assert.equal(refused.code, 409)
  assert.deepEqual(await left(client), NAMES)
})

test('removeCollection: marks objects with finalizers', async (t) => {
  const client = await filled(t)
  await client.patch(`${MAPS}/b`, { metadata: { finalizers: ['example.test/f'] } })
  await client.delete(`${MAPS}?labelSelector=of`)
  assert.deepEqual(await left(client), ['b'])
})
