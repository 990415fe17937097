import assert from 'node:assert/strict'
import test from 'node:test'
import { silentLogger } from '@orrery/kube/log'
import { FakeClock } from '@orrery/kube/testing'
import { WorkQueue } from './workqueue.js'

function gate(): { open(): void; readonly opened: Promise<void> } {
  const events = new EventTarget()
  const opened = new Promise<void>((resolve) => {
    events.addEventListener('open', () => resolve())
  })
  return { open: () => void events.dispatchEvent(new Event('open')), opened }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a key is worked on once however often it was added, and again when added meanwhile', async () => {
  const first = gate()
  const seen: string[] = []
  const queue = new WorkQueue({
    name: 'test',
    clock: new FakeClock(),
    log: silentLogger,
    async reconcile(key) {
      seen.push(key)
      if (seen.length === 1) await first.opened
    },
  })
  queue.add('a')
  queue.add('a')
  await settled()
  assert.deepEqual(seen, ['a'])
  queue.add('a')
  queue.add('a')
  await settled()
  assert.deepEqual(seen, ['a'], 'never two at a time')
  first.open()
  await settled()
  assert.deepEqual(seen, ['a', 'a'])
  await queue.stop()
})

test('a key that fails is tried again, later each time', async () => {
  const clock = new FakeClock()
  let failures = 0
  const queue = new WorkQueue({
    name: 'test',
    clock,
    log: silentLogger,
    random: () => 1,
    async reconcile() {
      failures++
      if (failures < 4) throw new Error('not yet')
    },
  })
  queue.add('a')
  await settled()
  for (const [delay, expected] of [
    [20, 2],
    [40, 3],
    [80, 4],
  ] as const) {
    clock.advance(delay - 1)
    await settled()
    assert.equal(failures, expected - 1)
    clock.advance(1)
    await settled()
    assert.equal(failures, expected)
  }
  assert.equal(clock.waiting, 0)
  await queue.stop()
})

test('no more keys are worked on at a time than allowed', async () => {
  const doors = new Map(['a', 'b', 'c'].map((key) => [key, gate()]))
  const running = new Set<string>()
  const queue = new WorkQueue({
    name: 'test',
    clock: new FakeClock(),
    log: silentLogger,
    concurrency: 2,
    async reconcile(key) {
      running.add(key)
      await doors.get(key)?.opened
      running.delete(key)
    },
  })
  const done = queue.addFirst(doors.keys())
  await settled()
  assert.deepEqual([...running], ['a', 'b'])
  doors.get('a')?.open()
  await settled()
  assert.deepEqual([...running], ['b', 'c'])
  doors.get('b')?.open()
  doors.get('c')?.open()
  await done
  await queue.stop()
})

test('what asks to be called again is, and stopping waits for what runs', async () => {
  const clock = new FakeClock()
  const door = gate()
  let calls = 0
  const queue = new WorkQueue({
    name: 'test',
    clock,
    log: silentLogger,
    async reconcile() {
      calls++
      if (calls === 1) return 1000
      await door.opened
      return undefined
    },
  })
  queue.add('a')
  await settled()
  clock.advance(1000)
  await settled()
  assert.equal(calls, 2)
  let stopped = false
  const stop = queue.stop().then(() => {
    stopped = true
  })
  await settled()
  assert.equal(stopped, false)
  door.open()
  await stop
  queue.add('b')
  await settled()
  assert.equal(calls, 2, 'a stopped queue takes nothing')
})
