import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import { openStore } from './open.js'
import { dataOf, encodeObject, erase, temporaryDirectory, write } from './testing.fixture.js'
import { type Change, HeadMoved, RevisionCompacted } from './types.js'

test('LogStore: publishes a durable write to readers, listeners and its writer, in that order', async (t) => {
  const store = await openStore(temporaryDirectory(t))
  const seen: string[] = []
  store.subscribe((changes) => seen.push(`${changes.length} changes, readers at ${store.revision}`))
  const writes = ['a', 'b', 'c'].map((name) => write(store, 'ns', name, 1).then(() => seen.push(`${name} answered`)))
  assert.equal(store.get('things', 'ns', 'a'), undefined)
  assert.equal(dataOf(store.head('things', 'ns', 'a')), '1')
  await Promise.all(writes)
  assert.deepEqual(seen, ['3 changes, readers at 3', 'a answered', 'b answered', 'c answered'])
  assert.equal(store.get('things', 'ns', 'a'), store.head('things', 'ns', 'a'))
  await store.close()
})

test('LogStore: throws HeadMoved immediately for writes on an outdated head', async (t) => {
  const store = await openStore(temporaryDirectory(t))
  const first = await write(store, 'ns', 'a', 1)
  const second = write(store, 'ns', 'a', 2)
  assert.throws(() => store.put('things', 'ns', 'a', first, encodeObject('a', 3)), HeadMoved)
  assert.throws(() => store.remove('things', 'ns', 'a', first, encodeObject('a', 3)), HeadMoved)
  assert.throws(() => store.put('things', 'ns', 'a', undefined, encodeObject('a', 3)), HeadMoved)
  await second
  assert.equal(dataOf(store.get('things', 'ns', 'a')), '2')
  await store.close()
})

test('LogStore: moves the head with writes that are not durable yet', async (t) => {
  const store = await openStore(temporaryDirectory(t))
  await write(store, 'ns', 'a', 1)
  const writes = [erase(store, 'ns', 'a'), write(store, 'ns', 'a', 2), erase(store, 'ns', 'a')]
  assert.equal(store.head('things', 'ns', 'a'), undefined)
  await store.flushed()
  assert.equal(store.head('things', 'ns', 'a'), undefined)
  assert.deepEqual(
    [...store.changesSince('things', 1)].map((change) => change.type),
    ['DELETED', 'ADDED', 'DELETED'],
  )
  await Promise.all(writes)
  await store.close()
})

test('LogStore: uses no revision if the encoder throws', async (t) => {
  const store = await openStore(temporaryDirectory(t))
  const failing = () => {
    throw new Error('no')
  }
  assert.throws(() => store.put('things', 'ns', 'a', undefined, failing), /no/)
  assert.equal((await write(store, 'ns', 'a', 1)).revision, 1)
  await store.close()
})

test('LogStore: isolates writers and other listeners from a listener that throws', async (t) => {
  const warnings: string[] = []
  const store = await openStore(temporaryDirectory(t), { onWarning: (message) => warnings.push(message) })
  const seen: Change[] = []
  store.subscribe(() => {
    throw new Error('broken listener')
  })
  const stop = store.subscribe((changes) => seen.push(...changes))
  await write(store, 'ns', 'a', 1)
  stop()
  await write(store, 'ns', 'a', 2)
  assert.equal(seen.length, 1)
  assert.equal(warnings.length, 2)
  await store.close()
})

test('page: stops at its limit of matches and counts the remaining entries', async (t) => {
  const store = await openStore(temporaryDirectory(t))
  await Promise.all(Array.from({ length: 10 }, (_, index) => write(store, 'ns', `n${index}`, index)))
  let asked = 0
  const matches = (entry: Parameters<typeof dataOf>[0]) => {
    asked++
    return Number(dataOf(entry)) % 2 === 1
  }
  const page = store.page({ bucket: 'things', namespace: 'ns', limit: 2, matches })
  assert.deepEqual(page.entries.map(dataOf), ['1', '3'])
  assert.equal(page.remaining, 6)
  assert.equal(asked, 4)
  await store.close()
})

test('LogStore: keeps history for its time, then compacts it and keeps current objects', async (t) => {
  const clock = new FakeClock()
  const directory = temporaryDirectory(t)
  const store = await openStore(directory, { clock, retention: { keepMilliseconds: 60_000 } })
  await write(store, 'ns', 'old', 1)
  await write(store, 'ns', 'old', 2)
  clock.advance(50_000)
  await write(store, 'ns', 'young', 1)
  assert.equal([...store.changesSince('things', 0)].length, 3)
  clock.advance(20_000)
  assert.equal(store.compactedRevision, 2)
  assert.throws(() => store.changesSince('things', 1), RevisionCompacted)
  assert.throws(() => store.page({ bucket: 'things', namespace: 'ns', revision: 1 }), RevisionCompacted)
  assert.equal([...store.changesSince('things', 2)].length, 1)
  clock.advance(600_000)
  assert.equal(store.compactedRevision, 3)
  assert.equal(store.page({ bucket: 'things', namespace: 'ns' }).entries.length, 2)
  await store.close()
  assert.equal(clock.waiting, 0)
})

test('LogStore: limits the number of changes in the history', async (t) => {
  const store = await openStore(temporaryDirectory(t), { retention: { maxChanges: 50 } })
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 10 }, (_, index) => write(store, 'ns', `n${index}`, round)))
    assert.ok(store.revision - store.compactedRevision <= 60)
  }
  assert.ok([...store.changesSince('things', store.compactedRevision)].length >= 50)
  await store.close()
})

test('LogStore: continues the revision after everything was removed, compacted and reopened', async (t) => {
  const directory = temporaryDirectory(t)
  let store = await openStore(directory)
  await write(store, 'ns', 'a', 1)
  await erase(store, 'ns', 'a')
  await store.compact(2)
  await store.close()
  store = await openStore(directory)
  assert.equal(store.revision, 2)
  assert.equal(store.compactedRevision, 2)
  assert.equal((await write(store, 'ns', 'a', 1)).revision, 3)
  await store.close()
})

test('LogStore: flushes all writes on close and refuses more', async (t) => {
  const directory = temporaryDirectory(t)
  const store = await openStore(directory)
  const last = write(store, 'ns', 'a', 1)
  await store.close()
  await last
  assert.throws(() => store.put('things', 'ns', 'b', undefined, encodeObject('b', 1)), /closed/)
  assert.throws(() => store.compact(1), /closed/)
  const again = await openStore(directory)
  assert.equal(dataOf(again.get('things', 'ns', 'a')), '1')
  await again.close()
})

test('openStore: makes its files readable only by their owner', async (t) => {
  const directory = join(temporaryDirectory(t), 'made')
  const store = await openStore(directory)
  assert.equal(statSync(directory).mode & 0o777, 0o700)
  assert.equal(statSync(join(directory, 'store')).mode & 0o777, 0o700)
  assert.equal(statSync(join(directory, 'store', 'data.mdb')).mode & 0o777, 0o600)
  assert.equal(statSync(join(directory, 'store', 'lock.mdb')).mode & 0o777, 0o600)
  await store.close()
})

test('LogStore: stores large objects and unusual names', async (t) => {
  const directory = temporaryDirectory(t)
  let store = await openStore(directory)
  const large = 'x'.repeat(3_000_000)
  const names = ['__proto__', 'constructor', 'past', '😀', 'a\u0000b', 'n'.repeat(1000)]
  await Promise.all(names.map((name) => write(store, '__proto__', name, name === 'past' ? large : name)))
  assert.throws(() => write(store, 'ns', 'n'.repeat(100_000), 1), RangeError)
  await store.close()
  store = await openStore(directory)
  assert.deepEqual(
    store.page({ bucket: 'things', namespace: '__proto__' }).entries.map((entry) => entry.name),
    names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  )
  assert.equal(dataOf(store.get('things', '__proto__', 'past')), large)
  await store.close()
})
