import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { isUnauthorized } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import { bundleId } from '../../codec/ids.js'
import { FakeMaestro, newWork } from '../server.fixture.js'
import type { AllManifestWorks, WorkWatchOptions } from '../works.js'
import type { WorkEvent } from './feed.js'

const applied = [{ type: 'Applied', status: 'True' }]

function collect(
  t: TestContext,
  works: AllManifestWorks,
  labelSelector?: string,
  hooks: Pick<WorkWatchOptions, 'onDisconnected' | 'onListed'> = {},
): WorkEvent[] {
  const events: WorkEvent[] = []
  const stop = new AbortController()
  const options = { signal: stop.signal, ...(labelSelector !== undefined && { labelSelector }), ...hooks }
  const done = (async () => {
    for await (const event of works.watch(options)) events.push(event)
  })()
  t.after(async () => {
    stop.abort()
    await done
  })
  return events
}

const told = (events: readonly WorkEvent[]) => events.map(({ type, object }) => `${type} ${object.metadata.name}`)

test('watch: reports existing works, new ones, statuses and deletions', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client().manifestWorks('c')
  await works.create(newWork('a'))
  const events = collect(t, works)
  await eventually('ADDED', () => events.length === 1)
  await works.create(newWork('b'))
  server.report('a', applied)
  await eventually('MODIFIED', () => events.length === 3)
  assert.deepEqual(events.at(-1)?.object.status?.conditions, applied)
  await works.delete('a')
  await eventually('deleting', () => events.length === 4)
  assert.notEqual(events.at(-1)?.object.metadata.deletionTimestamp, undefined)
  server.report('a', [{ type: 'Deleted', status: 'True' }])
  await eventually('DELETED', () => events.length === 5)
  assert.deepEqual(told(events), ['ADDED a', 'ADDED b', 'MODIFIED a', 'MODIFIED a', 'DELETED a'])
})

test('watch: reports what was created, changed and deleted while the connection was lost', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client({ random: () => 0 }).manifestWorks('c')
  for (const name of ['same', 'changed', 'deleted']) await works.create(newWork(name))
  const connection: string[] = []
  const events = collect(t, works, undefined, {
    onDisconnected: (error) => connection.push((error as Error).message),
    onListed: () => connection.push('listed'),
  })
  await eventually('all are there', () => events.length === 3)
  assert.deepEqual(connection, ['listed'])
  server.broker.stop()
  server.rows.delete(bundleId('s', 'c', 'deleted'))
  const row = server.row('changed')
  row.version += 1
  const id = bundleId('s', 'c', 'created')
  server.rows.set(id, { ...row, id, metadata: { ...row.metadata, name: 'created' } })
  await server.restartBroker()
  await eventually('the changes are there', () => events.length === 6, { seen: () => told(events).join() })
  assert.deepEqual(told(events).slice(3).sort(), ['ADDED created', 'DELETED deleted', 'MODIFIED changed'])
  await eventually('the watch is connected again', () => connection.length > 2 && connection.at(-1) === 'listed')
  assert.notEqual(connection[1], 'listed')
})

test('watch: a work that was deleted and created again is reported as DELETED and ADDED', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client({ resyncMilliseconds: 20 }).manifestWorks('c')
  await works.create(newWork('a'))
  await works.patch('a', { metadata: { labels: { x: 'y' } } })
  const events = collect(t, works)
  await eventually('ADDED', () => events.length === 1)
  const row = server.row('a')
  const metadata = { ...row.metadata, creationTimestamp: '2026-03-01T00:00:00Z' }
  server.rows.set(row.id, { ...row, version: 1, metadata })
  await eventually('it is replaced', () => events.length === 3)
  assert.deepEqual(told(events), ['ADDED a', 'DELETED a', 'ADDED a'])
})

test('watch: ignores duplicated, reordered and late events', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client().manifestWorks('c')
  await works.create(newWork('a'))
  await works.create(newWork('marker'))
  const events = collect(t, works)
  await eventually('ADDED', () => events.length === 2)
  server.report('a', applied)
  const old = server.statusEvent(server.row('a'))
  server.report('a', [{ type: 'Available', status: 'True' }])
  server.broker.send(old)
  server.broker.send(old)
  server.report('a', [{ type: 'Deleted', status: 'True' }])
  server.rows.delete(bundleId('s', 'c', 'a'))
  server.broker.send(old)
  server.report('marker', applied)
  await eventually('the marker', () => told(events).includes('MODIFIED marker'))
  const ofA = events.filter(({ object }) => object.metadata.name === 'a')
  assert.deepEqual(told(ofA.slice(-1)), ['DELETED a'])
  const first = ofA.filter(({ object }) => object.status?.conditions?.[0]?.type === 'Applied')
  assert.ok(first.length <= 1)
})

test('watch: a selector adds and removes works as their labels change', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client().manifestWorks('c')
  await works.create(newWork('a', { app: 'web' }))
  const events = collect(t, works, 'app=web')
  await eventually('ADDED', () => events.length === 1)
  await works.patch('a', { metadata: { labels: { app: 'db' } } })
  await eventually('DELETED', () => events.length === 2)
  await works.patch('a', { metadata: { labels: { app: 'web' } } })
  await eventually('ADDED again', () => events.length === 3)
  assert.deepEqual(told(events), ['ADDED a', 'DELETED a', 'ADDED a'])
})

test('watch: a reader that does not read holds up no other, and gets the newest state', async (t) => {
  const server = await FakeMaestro.start(t)
  const client = server.client()
  const works = client.manifestWorks('c')
  const slow = works.watch()
  const fast = collect(t, client.manifestWorks())
  const first = slow.next()
  await works.create(newWork('a'))
  assert.equal((await first).value.type, 'ADDED')
  for (let number = 0; number < 50; number++) {
    server.report('a', [{ type: 'Applied', status: 'True', message: String(number) }])
    await eventually(
      'the other reads on',
      () => fast.at(-1)?.object.status?.conditions?.[0]?.message === String(number),
    )
  }
  const { type, object } = (await slow.next()).value
  assert.deepEqual([type, object.status?.conditions?.[0]?.message], ['MODIFIED', '49'])
  await slow.return?.()
})

test('watch: throws if the server rejects the credentials', async (t) => {
  const server = await FakeMaestro.start(t)
  server.broker.rejectSubscriptions(16, 'no token')
  await assert.rejects(server.client().manifestWorks('c').watch().next(), isUnauthorized)
})

test('watch: the subscription ends with the last watch', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client().manifestWorks('c')
  const stop = new AbortController()
  const watch = works.watch({ signal: stop.signal })
  const next = watch.next()
  await eventually('subscribed', () => server.broker.streams.size === 1)
  stop.abort()
  assert.equal((await next).done, true)
  await eventually('unsubscribed', () => server.broker.streams.size === 0)
})
