import assert from 'node:assert/strict'
import test from 'node:test'
import { systemClock } from '@orrery/kube/clock'
import { requeueAfter } from '@orrery/kube/controller'
import { silentLogger } from '@orrery/kube/log'
import { FakeClock } from '@orrery/kube/testing'
import { Worker } from './worker.js'

function gate(): { open(): void; readonly opened: Promise<void> } {
  const events = new EventTarget()
  const opened = new Promise<void>((resolve) => {
    events.addEventListener('open', () => resolve())
  })
  return { open: () => void events.dispatchEvent(new Event('open')), opened }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('Worker: reconciles a key once however often it is added, and again if it is added meanwhile', async () => {
  const first = gate()
  const seen: string[] = []
  const worker = new Worker({
    clock: new FakeClock(),
    log: silentLogger,
    async reconcile(key) {
      seen.push(key)
      if (seen.length === 1) await first.opened
    },
  })
  worker.add('a')
  worker.add('a')
  await settled()
  assert.deepEqual(seen, ['a'])
  worker.add('a')
  worker.add('a')
  await settled()
  assert.deepEqual(seen, ['a'], 'never two at a time')
  first.open()
  await settled()
  assert.deepEqual(seen, ['a', 'a'])
  await worker.stop()
})

test('Worker: retries a key that fails, later each time and at least every minute', async () => {
  const clock = new FakeClock()
  let failures = 0
  const worker = new Worker({
    clock,
    log: silentLogger,
    async reconcile() {
      failures++
      if (failures < 4) throw new Error('not yet')
    },
  })
  worker.add('a')
  await settled()
  for (const [delay, expected] of [
    [5, 2],
    [10, 3],
    [20, 4],
  ] as const) {
    clock.advance(delay - 1)
    await settled()
    assert.equal(failures, expected - 1)
    clock.advance(1)
    await settled()
    assert.equal(failures, expected)
  }
  assert.equal(clock.waiting, 0)
  await worker.stop()
})

test('Worker: keeps to its concurrency', async () => {
  const doors = new Map(['a', 'b', 'c'].map((key) => [key, gate()]))
  const running = new Set<string>()
  const worker = new Worker({
    clock: new FakeClock(),
    log: silentLogger,
    concurrency: 2,
    async reconcile(key) {
      running.add(key)
      await doors.get(key)?.opened
      running.delete(key)
    },
  })
  const done = worker.addFirst(doors.keys())
  await settled()
  assert.deepEqual([...running], ['a', 'b'])
  doors.get('a')?.open()
  await settled()
  assert.deepEqual([...running], ['b', 'c'])
  doors.get('b')?.open()
  doors.get('c')?.open()
  await done
  await worker.stop()
})

test('Worker: reconciles a key again when it asks for it, and stops when nothing is in flight', async () => {
  const clock = new FakeClock()
  const door = gate()
  let calls = 0
  const worker = new Worker({
    clock,
    log: silentLogger,
    async reconcile() {
      calls++
      if (calls === 1) return requeueAfter(1000)
      await door.opened
      return undefined
    },
  })
  worker.add('a')
  await settled()
  clock.advance(1000)
  await settled()
  assert.equal(calls, 2)
  let stopped = false
  const stop = worker.stop().then(() => {
    stopped = true
  })
  await settled()
  assert.equal(stopped, false)
  door.open()
  await stop
  worker.add('b')
  await settled()
  assert.equal(calls, 2, 'a stopped worker takes nothing')
})

test('Worker: lets the event loop run between reconciles that take long', async () => {
  const seen: string[] = []
  const worker = new Worker({
    clock: systemClock,
    log: silentLogger,
    concurrency: 200,
    async reconcile(key) {
      seen.push(key)
      const end = performance.now() + 6
      while (performance.now() < end) Math.sqrt(end)
    },
  })
  for (let i = 0; i < 20; i++) worker.add(`k${i}`)
  await settled()
  assert.ok(seen.length > 0 && seen.length < 10, `${seen.length} reconciles in the first round`)
  while (seen.length < 20) await settled()
  await worker.stop()
})
