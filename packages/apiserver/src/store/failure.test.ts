import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import { open } from 'lmdb'
import { StoredEntry } from './entry.js'
import { History } from './history.js'
import { KeyIndex } from './key-index.js'
import { AnotherWriter, LmdbLog, type Log, type LogCommit, openDatabase } from './log.js'
import { openStore } from './open.js'
import type { LogRecord } from './record.js'
import { RESERVE_BYTES } from './reserve.js'
import { DEFAULT_RETENTION } from './retention.js'
import { LogStore } from './store.js'
import { dataOf, encodeObject, erase, temporaryDirectory, write } from './testing.fixture.js'
import { type Change, StorageRefused, StoreRemoved } from './types.js'

/** A log in memory whose commits can be made to fail. */
class FailingLog implements Log {
  readonly records = new Map<number, LogRecord>()
  readonly commits: LogCommit[] = []
  failing = false

  async commit(commit: LogCommit): Promise<void> {
    await new Promise(setImmediate)
    if (this.failing) throw new Error('input/output error')
    this.commits.push(commit)
    for (const revision of commit.drop) this.records.delete(revision)
    for (const record of commit.append) this.records.set(record.entry.revision, record)
  }

  read(revision: number): LogRecord {
    return this.records.get(revision) as LogRecord
  }

  isTight = false

  problem(): Error | undefined {
    return undefined
  }

  spare(): Error | undefined {
    return undefined
  }

  releaseReserve(): boolean {
    return false
  }

  async close(): Promise<void> {
    await Promise.resolve()
  }
}

function storeOver(log: FailingLog, onWarning: (message: string) => void = () => undefined): LogStore {
  const history = new History(0, 0, (revision) => log.read(revision).entry)
  const state = { cluster: 'test', revision: 0, keyIndex: new KeyIndex(), history, garbage: [] }
  const options = {
    clock: new FakeClock(),
    retention: DEFAULT_RETENTION,
    onWarning,
    onRecovered: () => undefined,
    onClosed: () => undefined,
  }
  return new LogStore(log, state, options)
}

test('LogStore: fails the writes of a refused commit and the waiting ones, and changes nothing', async () => {
  const log = new FailingLog()
  const warnings: string[] = []
  const store = storeOver(log, (message) => warnings.push(message))
  const seen: Change[] = []
  store.subscribe((changes) => seen.push(...changes))
  await write(store, 'ns', 'a', 1)
  log.failing = true
  const under = [write(store, 'ns', 'a', 2), write(store, 'ns', 'b', 1)]
  await new Promise(setImmediate)
  const waiting = write(store, 'ns', 'a', 3)
  for (const one of [...under, waiting]) await assert.rejects(one, StorageRefused)
  assert.equal(dataOf(store.head('things', 'ns', 'a')), '1')
  assert.equal(store.head('things', 'ns', 'b'), undefined)
  assert.equal(store.revision, 1)
  assert.equal(seen.length, 1)
  assert.equal(warnings.length, 1)

  log.failing = false
  const again = await write(store, 'ns', 'a', 4)
  assert.ok(again.revision > 4, 'revisions of refused writes are not reused')
  assert.equal(dataOf(store.get('things', 'ns', 'a')), '4')
  assert.deepEqual(
    [...store.changesSince('things', 1)].map((change) => dataOf(change.previous)),
    ['1'],
  )
  await store.close()
})

test('LogStore: repeats a refused compaction later', async () => {
  const log = new FailingLog()
  const store = storeOver(log)
  for (let value = 0; value < 5; value++) await write(store, 'ns', 'a', value)
  log.failing = true
  await assert.rejects(store.compact(5), StorageRefused)
  assert.equal(log.records.size, 5)
  log.failing = false
  await store.compact(5)
  assert.deepEqual([...log.records.keys()], [5])
  assert.equal(log.commits.at(-1)?.meta?.compacted, 5)
  await store.close()
})

test('LogStore: closes although its log refuses commits', async () => {
  const log = new FailingLog()
  const store = storeOver(log)
  await write(store, 'ns', 'a', 1)
  await write(store, 'ns', 'a', 2)
  log.failing = true
  const lost = write(store, 'ns', 'a', 3)
  const compaction = store.compact(2)
  const closed = store.close()
  await assert.rejects(lost, StorageRefused)
  await assert.rejects(compaction)
  await closed
})

test('LogStore: compacts the log in small parts', async () => {
  const log = new FailingLog()
  const store = storeOver(log)
  await Promise.all(Array.from({ length: 2000 }, (_, value) => write(store, 'ns', 'a', value)))
  await store.compact(2000)
  assert.deepEqual([...log.records.keys()], [2000])
  assert.ok(log.commits.every((commit) => commit.drop.length <= 512))
  await store.close()
})

test('LogStore: refuses writes after another process wrote to the log', async (t) => {
  const directory = temporaryDirectory(t)
  const store = await openStore(directory)
  await write(store, 'ns', 'a', 1)
  const stranger = open({
    path: join(directory, 'store'),
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
  })
  await stranger.put(Buffer.from('00000000000000ff', 'hex'), Buffer.from('x'))
  for (let attempt = 0; attempt < 2; attempt++) {
    await assert.rejects(write(store, 'ns', 'a', 2), (error: Error) => error.cause instanceof AnotherWriter)
  }
  assert.equal(dataOf(store.get('things', 'ns', 'a')), '1')
  await stranger.close()
  await store.close()
})

test('LogStore: drops history before waiting writes on a full disk, which makes space for them', async (t) => {
  const disk = temporaryDirectory(t)
  if (!mountSmall(disk)) return t.skip('mounting a small file system requires root')
  try {
    const store = await openStore(join(disk, 'data'))
    let value = 0
    const fill = async () => {
      for (;;) await write(store, 'ns', 'a', String(value++ % 10).repeat(30_000))
    }
    await assert.rejects(fill(), /no space left/)
    const compacted = store.compact(store.revision)
    const waiting = write(store, 'ns', 'a', 'x'.repeat(30_000))
    await compacted
    await waiting
    for (let index = 0; index < 20; index++) await write(store, 'ns', 'a', 'y'.repeat(30_000))
    await store.close()
  } finally {
    execFileSync('umount', ['--lazy', disk])
  }
})

test('LogStore: refuses writes on a full disk, continues to serve reads, and recovers', async (t) => {
  const disk = temporaryDirectory(t)
  if (!mountSmall(disk)) return t.skip('mounting a small file system requires root')
  try {
    await fillAndFree(disk)
  } finally {
    execFileSync('umount', ['--lazy', disk])
  }
})

async function fillAndFree(disk: string): Promise<void> {
  const ballast = join(disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(3_000_000))
  let store = await openStore(join(disk, 'data'))
  let written = 0
  const fill = async () => {
    for (;;) {
      await write(store, 'ns', `n${written}`, 'x'.repeat(20_000))
      written++
    }
  }
  for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(fill(), /StorageRefused.*no space left/)
  assert.ok(written > 0)
  assert.equal(store.count('things'), written)
  assert.equal(dataOf(store.get('things', 'ns', 'n0'))?.length, 20_000)

  rmSync(ballast)
  for (const end = written + 20; written < end; written++) await write(store, 'ns', `n${written}`, 'y'.repeat(20_000))
  await store.close()
  store = await openStore(join(disk, 'data'))
  assert.equal(store.count('things'), written)
  await store.close()
}

function mountSmall(directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', directory], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test('LmdbLog: removes a failed commit that reached the disk with the next commit', async (t) => {
  const directory = join(temporaryDirectory(t), 'log')
  mkdirSync(directory)
  let opened = 0
  const log = new LmdbLog(directory, (path) => {
    const database = openDatabase(path)
    if (opened++ > 0) return database
    const { batch } = database
    database.batch = async (action) => {
      await batch.call(database, action)
      throw new Error('input/output error')
    }
    return database
  })
  const lost = { entry: new StoredEntry('things', 'ns', 'a', 1, Buffer.from('{}')), remove: false }
  const kept = { entry: new StoredEntry('things', 'ns', 'a', 2, Buffer.from('{}')), remove: false }
  await assert.rejects(log.commit({ append: [lost], drop: [], meta: undefined }), /input\/output error/)
  assert.deepEqual(log.read(1), lost)
  await log.commit({ append: [kept], drop: [], meta: undefined })
  assert.throws(() => log.read(1), /no record/)
  assert.deepEqual(log.read(2), kept)
  assert.equal(opened, 2)
  await log.close()
})

test('LmdbLog: refuses commits while it cannot be reopened after a failure, and recovers', async (t) => {
  const directory = join(temporaryDirectory(t), 'log')
  mkdirSync(directory)
  let failures = 2
  const log = new LmdbLog(directory, (path) => {
    const database = openDatabase(path)
    if (failures === 2) database.batch = () => Promise.reject(new Error('input/output error'))
    if (failures === 1) throw new Error('too many open files')
    return database
  })
  const record = { entry: new StoredEntry('things', 'ns', 'a', 1, Buffer.from('{}')), remove: false }
  const commit = { append: [record], drop: [], meta: undefined }
  await assert.rejects(log.commit(commit), /input\/output error/)
  failures = 1
  await assert.rejects(log.commit(commit), /too many open files/)
  assert.throws(() => log.read(1), /could not be reopened/)
  failures = 0
  await log.commit(commit)
  assert.deepEqual(log.read(1), record)
  await log.close()
})

test('LogStore: refuses writes and reports the problem if its file is removed or replaced', async (t) => {
  const directory = temporaryDirectory(t)
  const failures: string[] = []
  let recovered = 0
  const store = await openStore(directory, {
    onWarning: (_, error) => failures.push(String(error)),
    onRecovered: () => recovered++,
  })
  await write(store, 'ns', 'a', 1)
  assert.equal(store.problem(), undefined)
  renameSync(join(directory, 'store'), join(directory, 'aside'))
  assert.match(store.problem() ?? '', /data\.mdb was removed or replaced while the server was running/)
  for (let attempt = 0; attempt < 2; attempt++) {
    await assert.rejects(write(store, 'ns', 'a', 2), (error: Error) => error.cause instanceof StoreRemoved)
  }
  assert.equal(existsSync(join(directory, 'store')), false, 'nothing takes its place')
  const other = await openStore(join(directory, 'elsewhere'))
  await other.close()
  renameSync(join(directory, 'elsewhere', 'store'), join(directory, 'store'))
  await assert.rejects(write(store, 'ns', 'a', 3), (error: Error) => error.cause instanceof StoreRemoved)
  assert.equal(dataOf(store.get('things', 'ns', 'a')), '1')
  assert.equal(failures.length, 1, 'one problem is reported once')

  rmSync(join(directory, 'store'), { recursive: true })
  renameSync(join(directory, 'aside'), join(directory, 'store'))
  await write(store, 'ns', 'a', 4)
  assert.deepEqual([store.problem(), recovered], [undefined, 1])
  await store.close()
  const again = await openStore(directory)
  assert.equal(dataOf(again.get('things', 'ns', 'a')), '4')
  await again.close()
})

test('LogStore: recovers from a failure when a probe commit succeeds', async () => {
  const log = new FailingLog()
  const store = storeOver(log)
  log.failing = true
  await assert.rejects(write(store, 'ns', 'a', 1), StorageRefused)
  assert.equal(store.problem(), 'input/output error')
  log.failing = false
  while (store.problem() !== undefined) await new Promise(setImmediate)
  await store.close()
})

test('LogStore: accepts only deletions on a full disk', async (t) => {
  const disk = temporaryDirectory(t)
  if (!mountSmall(disk)) return t.skip('mounting a small file system requires root')
  try {
    await fillAndRemove(disk)
  } finally {
    execFileSync('umount', ['--lazy', disk])
  }
})

async function fillAndRemove(disk: string): Promise<void> {
  const directory = join(disk, 'data')
  let store = await openStore(directory)
  let written = 0
  const fill = async () => {
    for (;;) {
      await write(store, 'ns', `n${written}`, 'x'.repeat(20_000))
      written++
    }
  }
  const reserve = join(directory, 'store', 'reserve')
  await assert.rejects(fill(), /no space left/)
  assert.equal(statSync(reserve).size, RESERVE_BYTES)
  // Another process fills the disk completely.
  for (let size = 1 << 20; size >= 1; size >>= 1) {
    try {
      for (let count = 0; ; count++) writeFileSync(join(disk, `ballast-${size}-${count}`), Buffer.alloc(size))
    } catch {
      // Smaller pieces may still fit.
    }
  }
  const marked = (name: string) => (revision: number) => {
    const object = JSON.parse(encodeObject(name, 'x'.repeat(20_000))(revision).toString()) as { metadata: object }
    return Buffer.from(JSON.stringify({ ...object, metadata: { ...object.metadata, deletionTimestamp: 'now' } }))
  }
  const mark = (name: string) => store.put('things', 'ns', name, store.head('things', 'ns', name), marked(name))
  const added = write(store, 'ns', 'more', 'x')
  const removed = [erase(store, 'ns', 'n0'), mark('n1')]
  await assert.rejects(added, /no space left/)
  await Promise.all(removed)
  assert.equal(existsSync(reserve), false)
  await assert.rejects(async () => write(store, 'ns', 'more', 'x'), /no space left/)
  for (let at = 1; at < written; at++) await erase(store, 'ns', `n${at}`)
  assert.equal(store.count('things'), 0)
  await store.close()

  store = await openStore(directory)
  assert.equal(store.count('things'), 0)
  await store.compact(store.revision)
  for (let at = 0; at < 20; at++) await write(store, 'ns', `m${at}`, 'y'.repeat(20_000))
  await store.close()
}
