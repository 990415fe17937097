import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Committer, type Compaction, type Write } from './committer.js'
import { StoredEntry } from './entry.js'
import type { Log, LogCommit } from './log.js'

const NO_COMPACTION: Compaction = { take: () => undefined, done: () => undefined, failed: () => undefined }

/** A log whose commits end when the test says so. */
class ManualLog {
  readonly commits: LogCommit[] = []
  readonly #ends: (() => void)[] = []

  commit(commit: LogCommit): Promise<void> {
    this.commits.push(commit)
    return new Promise((resolve) => this.#ends.push(resolve))
  }

  end(): void {
    this.#ends.shift()?.()
  }

  get sizes(): number[] {
    return this.commits.map(({ append }) => append.length)
  }
}

function committer() {
  const log = new ManualLog()
  const landed: number[] = []
  const made = new Committer(
    log as unknown as Log,
    NO_COMPACTION,
    (writes) => landed.push(writes.length),
    () => [],
  )
  let revision = 0
  const add = (count: number) => {
    for (let at = 0; at < count; at++) made.add(write(++revision))
  }
  return { log, landed, made, add }
}

function write(revision: number): Write {
  const entry = new StoredEntry('configmaps', 'default', `c${revision}`, revision, Buffer.from('{}'))
  return { entry, previous: undefined, remove: false, resolve: () => undefined, reject: () => undefined }
}

test('Committer: writes that arrive during a commit share the next', async () => {
  const { log, landed, add } = committer()
  add(3)
  await setImmediate()
  add(4)
  log.end()
  await setImmediate()
  assert.deepEqual([log.sizes, landed], [[3, 4], [3]])
})

test('Committer: the commit after a large one starts with half as many writes, while others are processed', async () => {
  const { log, add } = committer()
  add(64)
  await setImmediate()
  add(1)
  log.end()
  await setImmediate()
  assert.deepEqual(log.sizes, [64], 'the write of one client waits for others')
  add(63)
  assert.deepEqual(log.sizes, [64, 32], 'half of the writes are flushed while the others arrive')
  log.end()
  await setImmediate()
  assert.deepEqual(log.sizes, [64, 32, 32])
})

test('Committer: a single write after a large commit is written although no other follows', async () => {
  const { log, add } = committer()
  add(64)
  await setImmediate()
  add(1)
  log.end()
  while (log.commits.length < 2) await setImmediate()
  assert.deepEqual(log.sizes, [64, 1])
})

test('Committer: closing does not wait for writes that may follow', async () => {
  const { log, made, add } = committer()
  add(64)
  await setImmediate()
  add(1)
  const finished = made.finish()
  log.end()
  await setImmediate()
  assert.deepEqual(log.sizes, [64, 1])
  log.end()
  await finished
})
