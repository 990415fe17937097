import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import { openStore } from '../store/open.js'
import { encodeObject, erase, temporaryDirectory, write } from '../store/testing.fixture.js'
import { RevisionCompacted, type Store } from '../store/types.js'
import { createWatchHub } from './hub.js'
import { LabelFilter, PlainEncoding, RecordingSink, watchRequest } from './testing.fixture.js'
import type { WatchHub } from './types.js'
import type { WatcherLimits } from './watcher.js'

interface Fixture {
  readonly store: Store
  readonly hub: WatchHub
  readonly clock: FakeClock
}

async function startHub(t: TestContext, limits: Partial<WatcherLimits> = {}): Promise<Fixture> {
  const clock = new FakeClock()
  const store = await openStore(temporaryDirectory(t), { clock })
  const hub = createWatchHub(store, { clock, limits })
  t.after(() => {
    hub.close()
    return store.close()
  })
  return { store, hub, clock }
}

async function writeLabelled(store: Store, name: string, labels: Record<string, string>): Promise<void> {
  await store.put('things', 'ns', name, store.head('things', 'ns', name), encodeObject(name, 'x', labels))
}

test('WatchHub: sends a watcher only changes of its bucket, namespace and name', async (t) => {
  const { store, hub } = await startHub(t)
  const sinks = { all: new RecordingSink(), namespace: new RecordingSink(), name: new RecordingSink() }
  const other = new RecordingSink()
  hub.open(watchRequest(sinks.all))
  hub.open(watchRequest(sinks.namespace, { namespace: 'a' }))
  hub.open(watchRequest(sinks.name, { namespace: 'a', name: 'one' }))
  hub.open(watchRequest(other, { bucket: 'others' }))
  await write(store, 'a', 'one', 1)
  await write(store, 'a', 'two', 1)
  await write(store, 'b', 'one', 1)
  await write(store, 'a', 'one', 2)
  await erase(store, 'a', 'one')
  assert.deepEqual(sinks.all.summary, ['ADDED one 1', 'ADDED two 2', 'ADDED one 3', 'MODIFIED one 4', 'DELETED one 5'])
  assert.deepEqual(sinks.namespace.summary, ['ADDED one 1', 'ADDED two 2', 'MODIFIED one 4', 'DELETED one 5'])
  assert.deepEqual(sinks.name.summary, ['ADDED one 1', 'MODIFIED one 4', 'DELETED one 5'])
  assert.deepEqual(other.summary, [])
})

test('WatchHub: ends only the watches of one bucket', async (t) => {
  const { store, hub } = await startHub(t)
  const ended = new RecordingSink()
  const kept = new RecordingSink()
  hub.open(watchRequest(ended, { bucket: 'others' }))
  hub.open(watchRequest(kept))
  hub.endBucket('others')
  await write(store, 'a', 'one', 1)
  assert.equal(hub.size, 1)
  assert.equal(ended.state, 'ended')
  assert.deepEqual(kept.summary, ['ADDED one 1'])
})

test('WatchHub: sends frames as lines of JSON, those of one commit as one chunk', async (t) => {
  const { store, hub } = await startHub(t)
  const sink = new RecordingSink()
  hub.open(watchRequest(sink))
  await Promise.all([write(store, 'a', 'one', 1), write(store, 'a', 'two', 1)])
  assert.equal(sink.chunks.length, 1)
  const object = (name: string, revision: number) => encodeObject(name, 1)(revision).toString()
  assert.equal(
    sink.text,
    `{"type":"ADDED","object":${object('one', 1)}}\n{"type":"ADDED","object":${object('two', 2)}}\n`,
  )
})

test('WatchHub: sends ADDED for objects that start to match and DELETED with the last matching state for those that stop', async (t) => {
  const { store, hub } = await startHub(t)
  const sink = new RecordingSink()
  hub.open(watchRequest(sink, { filter: new LabelFilter('blue') }))
  await writeLabelled(store, 'a', {})
  await writeLabelled(store, 'a', { blue: '1' })
  await writeLabelled(store, 'a', { blue: '2' })
  await writeLabelled(store, 'a', { red: '1' })
  await erase(store, 'ns', 'a')
  await writeLabelled(store, 'b', { blue: '1' })
  await erase(store, 'ns', 'b')
  assert.deepEqual(sink.summary, ['ADDED a 2', 'MODIFIED a 3', 'DELETED a 4', 'ADDED b 6', 'DELETED b 7'])
  const left = JSON.parse(sink.text.split('\n')[2] as string).object
  assert.deepEqual(left.metadata, { name: 'a', labels: { blue: '2' }, resourceVersion: '4' })
})

test('WatchHub: evaluates each filter and each encoding once for each event, however many watchers there are', async (t) => {
  const { store, hub } = await startHub(t)
  const plain = new PlainEncoding()
  const filter = new LabelFilter('blue')
  const sinks = Array.from({ length: 100 }, () => new RecordingSink())
  for (const [index, sink] of sinks.entries()) {
    const namespace = index % 2 === 0 ? 'ns' : undefined
    hub.open(watchRequest(sink, { encoding: plain, namespace, ...(index % 3 === 0 && { filter }) }))
  }
  await writeLabelled(store, 'a', { blue: '1' })
  await writeLabelled(store, 'a', { blue: '2' })
  assert.equal(plain.calls, 2)
  assert.equal(filter.calls, 3)
  for (const sink of sinks) assert.deepEqual(sink.summary, ['ADDED a 1', 'MODIFIED a 2'])
  assert.equal(sinks[0]?.chunks[0], sinks[6]?.chunks[0], 'all watchers get the same bytes')
})

test('WatchHub: sends the initial list, the bookmark at its end, then missed changes, then live ones', async (t) => {
  const { store, hub } = await startHub(t)
  await write(store, 'ns', 'a', 1)
  await write(store, 'ns', 'b', 1)
  const { entries, revision } = store.page({ bucket: 'things', namespace: 'ns' })
  await write(store, 'ns', 'c', 1)
  const sink = new RecordingSink()
  hub.open(watchRequest(sink, { since: revision, initial: entries, markInitialEnd: true, bookmarks: true }))
  await write(store, 'ns', 'd', 1)
  assert.deepEqual(sink.summary, ['ADDED a 1', 'ADDED b 2', 'BOOKMARK - 2', 'ADDED c 3', 'ADDED d 4'])
  assert.deepEqual(sink.events[2]?.annotations, { 'k8s.io/initial-events-end': 'true' })
})

test('WatchHub: refuses a watch from a compacted revision before it sends anything', async (t) => {
  const { store, hub } = await startHub(t)
  await write(store, 'ns', 'a', 1)
  await write(store, 'ns', 'a', 2)
  await store.compact(2)
  const sink = new RecordingSink()
  assert.throws(() => hub.open(watchRequest(sink, { since: 1 })), RevisionCompacted)
  assert.equal(hub.size, 0)
  assert.equal(sink.chunks.length, 0)
})

test('WatchHub: sends the changes of a commit once to a watch that opens during it', async (t) => {
  const clock = new FakeClock()
  const store = await openStore(temporaryDirectory(t), { clock })
  const sink = new RecordingSink()
  const stop = store.subscribe(() => {
    stop()
    hub.open(watchRequest(sink))
  })
  const hub = createWatchHub(store, { clock })
  await Promise.all([write(store, 'ns', 'a', 1), write(store, 'ns', 'b', 1)])
  await write(store, 'ns', 'c', 1)
  assert.deepEqual(sink.summary, ['ADDED a 1', 'ADDED b 2', 'ADDED c 3'])
  hub.close()
  await store.close()
})

test('WatchHub: sends bookmarks about once a minute and before the end, and only on request', async (t) => {
  const { store, hub, clock } = await startHub(t)
  const asked = new RecordingSink()
  const silent = new RecordingSink()
  hub.open(watchRequest(asked, { bookmarks: true, timeoutSeconds: 150 }))
  hub.open(watchRequest(silent, { timeoutSeconds: 150 }))
  await write(store, 'ns', 'a', 1)
  await store.put('others', 'ns', 'x', undefined, encodeObject('x', 1))
  clock.advance(44_000)
  assert.deepEqual(asked.summary, ['ADDED a 1'])
  clock.advance(17_000)
  assert.deepEqual(asked.summary, ['ADDED a 1', 'BOOKMARK - 2'])
  clock.advance(88_000)
  assert.equal(asked.state, 'open')
  clock.advance(2_000)
  assert.equal(asked.state, 'ended')
  assert.equal(asked.summary.at(-1), 'BOOKMARK - 2')
  assert.deepEqual(silent.summary, ['ADDED a 1'])
  assert.equal(silent.state, 'ended')
  assert.equal(hub.size, 0)
})

test('WatchHub: uses one timer for all watchers, and none without watchers', async (t) => {
  const { hub, clock } = await startHub(t)
  const before = clock.waiting
  const sinks = Array.from({ length: 50 }, () => new RecordingSink())
  for (const [index, sink] of sinks.entries())
    hub.open(watchRequest(sink, { bookmarks: true, timeoutSeconds: 60 + index }))
  assert.equal(clock.waiting, before + 1)
  for (const sink of sinks) sink.close()
  assert.equal(hub.size, 0)
  clock.advance(3600_000)
  assert.equal(clock.waiting, before)
})

test('WatchHub: queues events for a full sink in order', async (t) => {
  const { store, hub } = await startHub(t)
  const sink = new RecordingSink()
  hub.open(watchRequest(sink))
  sink.reluctant = true
  for (let value = 1; value <= 5; value++) await write(store, 'ns', 'a', value)
  assert.deepEqual(sink.summary, ['ADDED a 1'])
  sink.drain()
  assert.equal(sink.chunks.length, 2)
  assert.deepEqual(
    sink.events.map((event) => event.revision),
    [1, 2, 3, 4, 5],
  )
})

test('WatchHub: lets a slow watcher with a full queue continue from history without gaps', async (t) => {
  const { store, hub } = await startHub(t, { queuedEvents: 3 })
  const slow = new RecordingSink()
  const quick = new RecordingSink()
  hub.open(watchRequest(slow))
  hub.open(watchRequest(quick))
  slow.reluctant = true
  for (let value = 1; value <= 20; value++) await write(store, 'ns', 'a', value)
  assert.equal(slow.chunks.length, 1)
  assert.equal(quick.events.length, 20)
  slow.reluctant = false
  slow.drain()
  await write(store, 'ns', 'a', 21)
  assert.deepEqual(slow.events, quick.events)
  assert.equal(slow.state, 'open')
})

test('WatchHub: limits the queues of all slow watchers together without gaps', async (t) => {
  const { store, hub } = await startHub(t, { allQueuedBytes: 500 })
  const slow = Array.from({ length: 5 }, () => new RecordingSink())
  const quick = new RecordingSink()
  for (const sink of [...slow, quick]) hub.open(watchRequest(sink))
  for (const sink of slow) sink.reluctant = true
  for (let value = 1; value <= 20; value++) await write(store, 'ns', 'a', value)
  assert.equal(quick.events.length, 20)
  for (const sink of slow) {
    assert.equal(sink.chunks.length, 1)
    sink.reluctant = false
    sink.drain()
  }
  await write(store, 'ns', 'a', 21)
  for (const sink of slow) assert.deepEqual(sink.events, quick.events)
})

test('WatchHub: disconnects only the watcher that stops reading', async (t) => {
  const { store, hub, clock } = await startHub(t, { queuedBytes: 100, stallMilliseconds: 10_000 })
  const stuck = new RecordingSink()
  const idle = new RecordingSink()
  const quick = new RecordingSink()
  for (const sink of [stuck, quick]) hub.open(watchRequest(sink))
  hub.open(watchRequest(idle, { name: 'first' }))
  stuck.reluctant = true
  idle.reluctant = true
  await write(store, 'ns', 'first', 1)
  await write(store, 'ns', 'a', 1)
  clock.advance(9_900)
  assert.equal(stuck.state, 'open')
  clock.advance(300)
  assert.equal(stuck.state, 'destroyed')
  assert.equal(idle.state, 'open', 'nothing waits for it')
  assert.equal(quick.state, 'open')
  assert.equal(hub.size, 2)
  await write(store, 'ns', 'a', 2)
  assert.equal(quick.events.length, 3)
  assert.equal(stuck.events.length, 1)
})

test('WatchHub: disconnects a watcher that does not read its initial list', async (t) => {
  const { store, hub, clock } = await startHub(t)
  await Promise.all(['a', 'b', 'c'].map((name) => write(store, 'ns', name, 'x'.repeat(70_000))))
  const sink = new RecordingSink()
  sink.reluctant = true
  hub.open(watchRequest(sink, { since: 3, initial: store.page({ bucket: 'things', namespace: 'ns' }).entries }))
  clock.advance(10_100)
  assert.equal(sink.state, 'destroyed')
  assert.equal(sink.events.length, 1)
})

test('WatchHub: sends "too old resource version" to a watcher whose revision is compacted', async (t) => {
  const { store, hub } = await startHub(t, { queuedEvents: 1 })
  const sink = new RecordingSink()
  hub.open(watchRequest(sink))
  sink.reluctant = true
  for (let value = 1; value <= 10; value++) await write(store, 'ns', 'a', value)
  await store.compact(8)
  sink.drain()
  const last = JSON.parse(sink.text.trimEnd().split('\n').at(-1) as string)
  assert.equal(last.type, 'ERROR')
  assert.equal(last.object.code, 410)
  assert.equal(last.object.reason, 'Expired')
  assert.equal(last.object.message, 'too old resource version: 1 (8)')
  assert.equal(sink.state, 'ended')
  assert.equal(hub.size, 0)
})

test('WatchHub: ends only the watchers of a failing encoding or filter, with an ERROR event', async (t) => {
  const { store, hub } = await startHub(t)
  const failing = new PlainEncoding('failing')
  failing.object = (entry) => {
    if (entry.name === 'bad') throw new Error('cannot show this')
    return entry.bytes
  }
  const broken = new LabelFilter('broken')
  broken.matches = () => {
    throw new Error('cannot tell')
  }
  const sinks = [new RecordingSink(), new RecordingSink(), new RecordingSink()] as const
  hub.open(watchRequest(sinks[0], { encoding: failing }))
  hub.open(watchRequest(sinks[1]))
  await Promise.all([write(store, 'ns', 'good', 1), write(store, 'ns', 'bad', 1)])
  hub.open(watchRequest(sinks[2], { filter: broken, since: store.revision }))
  await write(store, 'ns', 'good', 2)
  const last = (index: 0 | 1 | 2) => JSON.parse(sinks[index].text.trimEnd().split('\n').at(-1) as string)
  assert.deepEqual(
    sinks[0].text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).type),
    ['ADDED', 'ERROR'],
  )
  assert.equal(last(0).object.code, 500)
  assert.match(last(0).object.message, /cannot show this/)
  assert.equal(last(2).type, 'ERROR')
  assert.deepEqual([sinks[0].state, sinks[1].state, sinks[2].state], ['ended', 'open', 'ended'])
  assert.equal(sinks[1].events.length, 3)
})

test('WatchHub: removes a sink that throws without affecting others', async (t) => {
  const { store, hub } = await startHub(t)
  const throwing = new RecordingSink()
  const fine = new RecordingSink()
  const explode = () => {
    throw new Error('gone')
  }
  hub.open(watchRequest(throwing))
  hub.open(watchRequest(fine))
  Object.assign(throwing, { write: explode, destroy: explode, end: explode })
  await write(store, 'ns', 'a', 1)
  await write(store, 'ns', 'a', 2)
  assert.equal(hub.size, 1)
  assert.equal(fine.events.length, 2)
})

test('WatchHub: sends a large initial list at the pace of its reader, then the changes made meanwhile', async (t) => {
  const { store, hub } = await startHub(t)
  const big = 'x'.repeat(10_000)
  await Promise.all(Array.from({ length: 100 }, (_, index) => write(store, 'ns', `n${index}`, big)))
  const { entries, revision } = store.page({ bucket: 'things', namespace: 'ns' })
  const sink = new RecordingSink()
  sink.reluctant = true
  hub.open(watchRequest(sink, { since: revision, initial: entries, markInitialEnd: true }))
  assert.equal(sink.chunks.length, 1)
  assert.ok((sink.chunks[0]?.length ?? 0) < 100_000)
  for (let round = 0; sink.events.length < 102; round++) {
    if (round === 3) await write(store, 'ns', 'late', 1)
    sink.drain()
  }
  assert.equal(sink.summary.at(-2), 'BOOKMARK - 100')
  assert.equal(sink.summary.at(-1), 'ADDED late 101')
  sink.drain()
  await write(store, 'ns', 'later', 1)
  assert.equal(sink.summary.at(-1), 'ADDED later 102')
})

test('WatchHub: ends every watch on close and accepts no more', async (t) => {
  const { store, hub } = await startHub(t)
  const sinks = [new RecordingSink(), new RecordingSink()] as const
  hub.open(watchRequest(sinks[0]))
  hub.close()
  hub.open(watchRequest(sinks[1]))
  await write(store, 'ns', 'a', 1)
  assert.deepEqual([sinks[0].state, sinks[1].state], ['ended', 'ended'])
  assert.equal(sinks[0].chunks.length, 0)
  assert.equal(hub.size, 0)
})
