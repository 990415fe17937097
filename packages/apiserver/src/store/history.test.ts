import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoredEntry } from './entry.js'
import { History, type Step } from './history.js'
import { RevisionCompacted } from './types.js'

function entryAt(revision: number, namespace = 'default'): StoredEntry {
  return new StoredEntry('things', namespace, 'one', revision, Buffer.from('{}'))
}

test('History: reads old versions from the log one change at a time', () => {
  const reads: number[] = []
  const history = new History(0, 0, (revision) => {
    reads.push(revision)
    return entryAt(revision)
  })
  for (let revision = 2; revision < 1000; revision++) history.addCold('MODIFIED', entryAt(revision), revision - 1)
  const changes = history.since('things', 500)
  assert.deepEqual(reads, [])
  for (const { revision } of changes) {
    assert.equal(revision, 501)
    break
  }
  assert.deepEqual(reads, [501, 500])
})

test('History: does not read the versions of objects that are not wanted', () => {
  const reads: number[] = []
  const history = new History(0, 0, (revision) => {
    reads.push(revision)
    return entryAt(revision)
  })
  for (let revision = 1; revision < 1000; revision++) history.addCold('ADDED', entryAt(revision, 'other'), 0)
  history.addCold('ADDED', entryAt(1000), 0)
  const found = [...history.since('things', 0, { namespace: 'default', name: 'one' })]
  assert.deepEqual(
    found.map(({ revision }) => revision),
    [1000],
  )
  assert.deepEqual(reads, [1000])
})

test('History: reads the version before a change when it is asked for its contents, and not after compaction', () => {
  const reads: number[] = []
  const history = new History(0, 0, (revision) => {
    reads.push(revision)
    return entryAt(revision)
  })
  history.addCold('MODIFIED', entryAt(7), 3)
  const step = history.firstChangesSince('things', 5).get('default')?.get('one') as Step
  const entry = history.before(step)
  assert.deepEqual([entry?.namespace, entry?.name, entry?.revision], ['default', 'one', 3])
  assert.deepEqual(reads, [])
  assert.deepEqual(entry?.object(), {})
  assert.deepEqual(reads, [3])
  history.compact(6)
  assert.equal(String(entry?.bytes), '{}')
  history.compact(7)
  assert.throws(() => entry?.bytes, RevisionCompacted)
})
