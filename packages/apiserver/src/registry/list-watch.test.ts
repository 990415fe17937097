import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { turns } from '../fairness/turns.js'
import type { PathClient } from '../testing/path-client.fixture.js'
import { eventsUntil, failureOf, testServer } from '../testing/test-server.fixture.js'
import { encodeContinue } from './continue.js'

const MAPS = '/api/v1/namespaces/default/configmaps'

interface List {
  kind: string
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number }
  items: KubeObject[]
}

async function fill(client: PathClient, names: readonly string[], namespace = 'default'): Promise<void> {
  for (const name of names) {
    await client.create(`/api/v1/namespaces/${namespace}/configmaps`, {
      metadata: { name, labels: { parity: names.indexOf(name) % 2 ? 'odd' : 'even', test: 'yes' } },
    })
  }
}

const names = (list: List) => list.items.map(({ metadata }) => metadata.name)

test('list: shows the same revision on all pages', async (t) => {
  const { client } = await testServer(t)
  await fill(client, ['a', 'b', 'c', 'd', 'e'])
  const query = `${MAPS}?labelSelector=test%3Dyes&limit=2`
  const first = await client.get<List>(query)
  assert.deepEqual(names(first), ['a', 'b'])
  assert.equal(first.metadata.remainingItemCount, undefined)
  await client.delete(`${MAPS}/c`)
  await client.create(MAPS, { metadata: { name: 'bb', labels: { test: 'yes' } } })
  const second = await client.get<List>(`${query}&continue=${first.metadata.continue}`)
  assert.deepEqual(names(second), ['c', 'd'])
  assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion)
  const third = await client.get<List>(`${query}&continue=${second.metadata.continue}`)
  assert.deepEqual(names(third), ['e'])
  assert.equal(third.metadata.continue, undefined)
  const whole = await client.get<List>(`${MAPS}?limit=1`)
  assert.equal(whole.metadata.remainingItemCount, 5)
})

test('list: lists of an earlier state, which is read from disk, take turns', async (t) => {
  const { client } = await testServer(t)
  await fill(client, ['a', 'b', 'c'])
  const { metadata } = await client.get<List>(`${MAPS}?limit=1`)
  await fill(client, ['d'])
  const exact = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`
  let isOver = false
  const lists = Promise.all(
    [`labelSelector=test&${exact}`, exact, `continue=${metadata.continue}`].flatMap((query) =>
      Array.from({ length: 5 }, () => client.get<List>(`${MAPS}?${query}`)),
    ),
  ).finally(() => {
    isOver = true
  })
  let most = 0
  for (; !isOver; most = Math.max(most, turns.waiting)) await new Promise(setImmediate)
  assert.ok(most > 1, `${most} lists waited`)
  for (const list of await lists) assert.ok(!names(list).includes('d'))
})

test('list: evaluates a selector for an earlier state in turns, with the limits of a page', async (t) => {
  const { client } = await testServer(t)
  await fill(client, ['a', 'b', 'c', 'd', 'e'])
  const { metadata } = await client.get<List>(MAPS)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await client.patch(`${MAPS}/${name}`, { metadata: { labels: null } })
  const even = `${MAPS}?labelSelector=parity%3Deven&resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`
  const taken = t.mock.method(turns, 'take')
  // Each look at the clock uses up a millisecond.
  let now = performance.now()
  const clock = t.mock.method(performance, 'now', () => ++now)
  assert.deepEqual(names(await client.get<List>(even)), ['a', 'c', 'e'])
  clock.mock.restore()
  assert.ok(taken.mock.callCount() > 2, `${taken.mock.callCount()} turns`)
  const first = await client.get<List>(`${even}&limit=2`)
  assert.deepEqual(names(first), ['a', 'c'])
  const rest = await client.get<List>(`${MAPS}?labelSelector=parity%3Deven&limit=2&continue=${first.metadata.continue}`)
  assert.deepEqual(names(rest), ['e'])
  assert.equal(rest.metadata.continue, undefined)
  const named = await client.get<List>(`${even}&fieldSelector=metadata.name%3Dc`)
  assert.deepEqual(names(named), ['c'])
})

test('list: omits kind and apiVersion of built-in items in every form', async (t) => {
  const { client } = await testServer(t)
  await fill(client, ['a', 'b'])
  const one = await client.get<KubeObject>(`${MAPS}/a`)
  for (const query of ['?labelSelector=test', '?labelSelector=test&pretty=true']) {
    const list = await client.get<List>(`${MAPS}${query}`)
    assert.equal(list.kind, 'ConfigMapList')
    const { apiVersion: _, kind: __, ...rest } = one
    assert.deepEqual(list.items[0], rest)
  }
})

test('list: shows a page at the revision of its token, which must be known', async (t) => {
  const { client } = await testServer(t)
  await fill(client, ['a', 'b'])
  const { metadata } = await client.get<List>(`${MAPS}?limit=1`)
  const twice = await failureOf(client.get(`${MAPS}?limit=1&continue=${metadata.continue}&resourceVersion=1`))
  assert.equal(twice.message, 'specifying resource version is not allowed when using continue')
  const future = encodeContinue({ revision: 1e9, after: { namespace: 'default', name: 'a' } })
  assert.equal((await failureOf(client.get(`${MAPS}?continue=${future}`))).code, 504)
})

test('list: returns a token to continue after its revision was compacted', async (t) => {
  const { client, server } = await testServer(t)
  await fill(client, ['a', 'b', 'c'])
  const first = await client.get<List>(`${MAPS}?limit=1`)
  await client.create(MAPS, { metadata: { name: 'd' } })
  await server.compact()
  const expired = await failureOf(client.get(`${MAPS}?limit=1&continue=${first.metadata.continue}`))
  assert.equal(expired.code, 410)
  assert.equal(expired.reason, 'Expired')
  const rest = await client.get<List>(`${MAPS}?limit=500&continue=${expired.status.metadata.continue}`)
  assert.ok(names(rest).includes('d'))
})

test('list: applies selectors and refuses invalid ones', async (t) => {
  const { client } = await testServer(t)
  await fill(client, ['a', 'b', 'c'])
  assert.deepEqual(names(await client.get<List>(`${MAPS}?labelSelector=parity+in+(odd)`)), ['b'])
  assert.deepEqual(names(await client.get<List>(`${MAPS}?fieldSelector=metadata.name%3Dc`)), ['c'])
  assert.deepEqual(names(await client.get<List>(`/api/v1/configmaps?fieldSelector=metadata.name%3Dc`)), ['c'])
  assert.equal((await failureOf(client.get(`${MAPS}?labelSelector=a+b+c`))).code, 400)
  assert.equal((await failureOf(client.get(`${MAPS}?fieldSelector=data.x%3Dy`))).code, 400)
})

test('list: applies resourceVersion', async (t) => {
  const { client } = await testServer(t)
  await fill(client, ['a'])
  const { metadata } = await client.get<List>(MAPS)
  await fill(client, ['b'])
  const then = await client.get<List>(
    `${MAPS}?labelSelector=test&resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`,
  )
  assert.deepEqual(names(then), ['a'])
  const since = await client.get<List>(`${MAPS}?labelSelector=test&resourceVersion=${metadata.resourceVersion}`)
  assert.deepEqual(names(since), ['a', 'b'])
  const future = await failureOf(client.get(`${MAPS}?resourceVersion=999999999`))
  assert.equal(future.code, 504)
  assert.equal(future.status.details?.causes?.[0]?.reason, 'ResourceVersionTooLarge')
  assert.equal((await failureOf(client.get(`${MAPS}?resourceVersionMatch=Exact`))).code, 422)
  assert.equal((await failureOf(client.get(`${MAPS}?resourceVersion=x`))).code, 400)
})

test('watch: sends everything after its start, once and in order', async (t) => {
  const { client } = await testServer(t)
  await fill(client, ['a'])
  const { metadata } = await client.get<List>(MAPS)
  const events = await eventsUntil(
    client,
    `${MAPS}?resourceVersion=${metadata.resourceVersion}`,
    ({ type }) => type === 'DELETED',
    async () => {
      await fill(client, ['b'])
      await client.patch(`${MAPS}/b`, { data: { x: 'y' } })
      await client.delete(`${MAPS}/a`)
    },
  )
  assert.deepEqual(
    events.map(({ type, object }) => `${type} ${object.metadata.name}`),
    ['ADDED b', 'MODIFIED b', 'DELETED a'],
  )
  const versions = events.map(({ object }) => Number(object.metadata.resourceVersion))
  assert.deepEqual(
    versions,
    [...versions].sort((x, y) => x - y),
  )
})

test('watch: sends DELETED for an object that stops matching', async (t) => {
  const { client } = await testServer(t)
  await client.create(MAPS, { metadata: { name: 'a', labels: { on: 'yes' } } })
  const events = await eventsUntil(
    client,
    `${MAPS}?labelSelector=on%3Dyes`,
    ({ type }) => type === 'DELETED',
    async () => {
      await client.patch(`${MAPS}/a`, { metadata: { labels: { on: 'no' } } })
    },
  )
  assert.deepEqual(
    events.map(({ type }) => type),
    ['ADDED', 'DELETED'],
  )
  assert.equal(events[1]?.object.metadata.labels?.on, 'yes')
})

test('watch: ends a streaming list with an annotated bookmark', async (t) => {
  const { client } = await testServer(t)
  await fill(client, ['a', 'b'])
  const query = 'labelSelector=test&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
  const events = await eventsUntil(client, `${MAPS}?${query}`, ({ type }) => type === 'BOOKMARK')
  assert.deepEqual(
    events.map(({ type }) => type),
    ['ADDED', 'ADDED', 'BOOKMARK'],
  )
  assert.equal(events[2]?.object.metadata.annotations?.['k8s.io/initial-events-end'], 'true')
  assert.equal(events[2]?.object.kind, 'ConfigMap')
  const refused = await failureOf(eventsUntil(client, `${MAPS}?sendInitialEvents=true`, () => true))
  assert.equal(refused.code, 422)
})

test('watch: sends an ERROR event with 410 for a compacted revision', async (t) => {
  const { client, server } = await testServer(t)
  await fill(client, ['a', 'b'])
  await server.compact()
  const events = await eventsUntil(client, `${MAPS}?resourceVersion=1`, () => true)
  assert.equal(events[0]?.type, 'ERROR')
  assert.equal(events[0]?.object.code, 410)
})
