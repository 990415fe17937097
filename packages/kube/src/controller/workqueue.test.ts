import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../testing/fake-clock.js'
import { requeueAfter, requeueAt } from './requeue.js'
import { WorkQueue, type WorkQueueOptions } from './workqueue.js'

const HOUR = 3_600_000

function startQueue(options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock()
  const counts = { ready: 0, added: 0, delayed: 0 }
  const queue = new WorkQueue({
    clock,
    onReady: () => counts.ready++,
    onAdd: () => counts.added++,
    onDelay: () => counts.delayed++,
    ...options,
  })
  const takeAll = () => {
    const keys: string[] = []
    for (let work = queue.take(); work !== undefined; work = queue.take()) keys.push(work.key)
    return keys
  }
  return { clock, queue, counts, takeAll }
}

test('WorkQueue: contains a key once, however often it is added', () => {
  const { queue, takeAll, counts } = startQueue()
  for (const key of ['a', 'b', 'a', 'c', 'a']) queue.add(key)
  assert.equal(queue.depth('fresh'), 3)
  assert.deepEqual(takeAll(), ['a', 'b', 'c'])
  assert.deepEqual(counts, { ready: 3, added: 3, delayed: 0 })
})

test('WorkQueue: fresh keys come before those of a resync, each in order', () => {
  const { queue, takeAll } = startQueue()
  queue.add('old-1', 'resync')
  queue.add('old-2', 'resync')
  queue.add('new-1')
  queue.add('old-2', 'fresh')
  queue.add('new-1', 'resync')
  queue.add('new-2')
  assert.deepEqual(takeAll(), ['new-1', 'old-2', 'new-2', 'old-1'])
})

test('WorkQueue: namespaces take turns, each in order, and cluster-scoped keys share a turn', () => {
  const { queue, takeAll } = startQueue()
  for (const key of ['a/1', 'a/2', 'a/3', 'x', 'y', 'b/1']) queue.add(key)
  assert.equal(queue.take()?.key, 'a/1')
  queue.add('c/1')
  assert.deepEqual(takeAll(), ['x', 'b/1', 'a/2', 'c/1', 'y', 'a/3'])
})

test('WorkQueue: flows take turns, each in order', () => {
  const { queue, takeAll } = startQueue({ flowOf: (key) => key.slice(0, 1) })
  for (const key of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) queue.add(key)
  queue.add('a0', 'resync')
  assert.equal(queue.take()?.key, 'a1')
  queue.add('d1')
  assert.deepEqual(takeAll(), ['b1', 'c1', 'a2', 'd1', 'b2', 'a3', 'a4', 'a0'])
  assert.equal(queue.ready, 0)
})

test('WorkQueue: keeps the last free worker for a namespace that has none', () => {
  const { queue, takeAll } = startQueue({ concurrency: 3 })
  for (const key of ['a/1', 'a/2', 'a/3', 'a/4']) queue.add(key)
  assert.deepEqual(takeAll(), ['a/1', 'a/2'])
  queue.add('b/1')
  queue.add('b/2')
  assert.deepEqual(takeAll(), ['b/1'])
  assert.equal(queue.mayTake, false)
  queue.succeed('b/1')
  assert.deepEqual(takeAll(), ['b/2'], 'the namespace with two runs keeps its place, but does not get the last worker')
  queue.succeed('a/1')
  assert.deepEqual(takeAll(), [])
  queue.succeed('b/2')
  assert.deepEqual(takeAll(), ['a/3'])
})

test('WorkQueue: cluster-scoped keys use all workers, and so do those of a namespace if there is only one worker', () => {
  const cluster = startQueue({ concurrency: 3 })
  for (const key of ['a', 'b', 'c', 'd']) cluster.queue.add(key)
  assert.deepEqual(cluster.takeAll(), ['a', 'b', 'c'])
  const single = startQueue({ concurrency: 1 })
  for (const key of ['a/1', 'a/2']) single.queue.add(key)
  assert.deepEqual(single.takeAll(), ['a/1'])
})

test('WorkQueue: keys of a resync are taken in the end, however many fresh ones are added', () => {
  const { queue } = startQueue()
  queue.add('b/old', 'resync')
  const taken: string[] = []
  for (let index = 0; taken.at(-1) !== 'b/old'; index++) {
    assert.ok(index < 20, 'it is not taken')
    queue.add(`a/${index}`)
    queue.add(`c/${index}`)
    taken.push(queue.take()!.key)
  }
  assert.equal(taken.length, 17)
})

test('WorkQueue: a key added while in flight runs again, after it is done', () => {
  const { queue, takeAll } = startQueue()
  queue.add('a')
  queue.take()
  queue.add('a', 'resync')
  queue.add('a')
  queue.add('a', 'resync')
  assert.equal(queue.take(), undefined)
  queue.add('other', 'resync')
  queue.succeed('a')
  assert.deepEqual(takeAll(), ['a', 'other'])
  queue.succeed('a')
  assert.equal(queue.take(), undefined)
})

test('WorkQueue: delays double after each failure, up to a limit, until a success', () => {
  const { queue, clock } = startQueue({ backoff: { firstMilliseconds: 100, maxMilliseconds: 350 } })
  queue.add('a')
  for (const wait of [100, 200, 350, 350]) {
    queue.take()
    assert.equal(queue.fail('a'), wait)
    assert.equal(queue.failing, 1)
    clock.advance(wait - 1)
    assert.equal(queue.take(), undefined)
    clock.advance(1)
  }
  assert.equal(queue.take()?.attempt, 5)
  queue.succeed('a')
  assert.equal(queue.failing, 0)
  queue.add('a')
  assert.equal(queue.take()?.attempt, 1)
  assert.equal(queue.fail('a'), 100)
})

test('WorkQueue: delays are 5 ms to 1000 s by default', () => {
  const { queue, clock } = startQueue()
  queue.add('a')
  const waits: number[] = []
  for (let failure = 0; failure < 20; failure++) {
    queue.take()
    waits.push(queue.fail('a'))
    clock.advance(1_000_000)
  }
  assert.deepEqual(waits.slice(0, 4), [5, 10, 20, 40])
  assert.deepEqual(waits.slice(-3), [655_360, 1_000_000, 1_000_000])
})

test('WorkQueue: an event ends the delay after a failure, but keeps the failure count', () => {
  const { queue, clock } = startQueue({ backoff: { firstMilliseconds: 1000 } })
  queue.add('a')
  queue.take()
  queue.fail('a')
  queue.add('a')
  assert.equal(clock.waiting, 0)
  assert.equal(queue.take()?.attempt, 2)
  queue.add('a')
  assert.equal(queue.fail('a'), 0, 'an event arrived meanwhile')
  assert.equal(queue.take()?.attempt, 3)
  assert.equal(queue.fail('a'), 4000)
})

test('WorkQueue: requeues a key at a time', () => {
  const { queue, clock, counts } = startQueue()
  queue.add('a')
  queue.take()
  queue.succeed('a', requeueAfter(5000))
  assert.equal(queue.waiting, 1)
  clock.advance(4999)
  assert.equal(queue.take(), undefined)
  clock.advance(1)
  assert.equal(queue.take()?.urgency, 'fresh')
  queue.succeed('a', requeueAfter(-1))
  assert.equal(queue.take()?.key, 'a', 'a past time is now')
  assert.deepEqual(counts, { ready: 3, added: 3, delayed: 1 })
})

test('WorkQueue: a resync does not delay a key beyond its time', () => {
  const { queue, clock, takeAll } = startQueue()
  queue.add('a')
  queue.take()
  queue.succeed('a', requeueAfter(1000))
  for (const key of ['x', 'a', 'y']) queue.add(key, 'resync')
  assert.equal(queue.depth('resync'), 3)
  clock.advance(1000)
  queue.add('b')
  assert.deepEqual(takeAll(), ['a', 'b', 'x', 'y'])
  assert.equal(clock.waiting, 0)
})

test('WorkQueue: a retry of a resync stays behind fresh keys', () => {
  const { queue, clock, takeAll } = startQueue()
  queue.add('a', 'resync')
  queue.take()
  queue.fail('a')
  clock.advance(5)
  queue.add('b')
  assert.deepEqual(takeAll(), ['b', 'a'])
})

test('WorkQueue: one timer serves all waiting keys', () => {
  const { queue, clock, takeAll } = startQueue()
  for (let index = 0; index < 100; index++) {
    queue.add(String(index))
    queue.take()
    queue.succeed(String(index), requeueAfter(1000 + ((index * 37) % 100)))
  }
  assert.equal(clock.waiting, 1)
  clock.advance(1099)
  assert.deepEqual(
    takeAll(),
    Array.from({ length: 100 }, (_, index) => String((index * 73) % 100)),
  )
})

test('WorkQueue: notices within a minute that the system time was set forward', () => {
  const { queue, clock } = startQueue()
  for (const key of ['moment', 'while']) {
    queue.add(key)
    queue.take()
  }
  queue.succeed('moment', requeueAt(new Date(clock.now().getTime() + HOUR)))
  queue.succeed('while', requeueAfter(HOUR))
  clock.adjust(HOUR)
  clock.advance(60_000)
  assert.equal(queue.take()?.key, 'moment')
  assert.equal(queue.take(), undefined)
  clock.advance(HOUR - 60_000)
  assert.equal(queue.take()?.key, 'while')
})

test('WorkQueue: setting the system time back delays requeues at a time, but no retries', () => {
  const { queue, clock } = startQueue()
  for (const key of ['moment', 'first', 'second']) {
    queue.add(key)
    queue.take()
  }
  queue.succeed('moment', requeueAt(new Date(clock.now().getTime() + 1000)))
  queue.fail('first', 2000)
  clock.adjust(-HOUR)
  queue.fail('second', 3000)
  clock.advance(2000)
  assert.equal(queue.take()?.key, 'first')
  clock.advance(1000)
  assert.equal(queue.take()?.key, 'second')
  clock.advance(HOUR - 2001)
  assert.equal(queue.take(), undefined)
  clock.advance(1)
  assert.equal(queue.take()?.key, 'moment')
  assert.equal(clock.waiting, 0)
})

test('WorkQueue: work has the time that it waited', () => {
  const { queue, clock } = startQueue()
  queue.add('a')
  clock.advance(30)
  assert.equal(queue.waitedMilliseconds, 30)
  assert.equal(queue.take()?.waitedMilliseconds, 30)
  assert.equal(queue.waitedMilliseconds, 0)
})

test('WorkQueue: a closed queue drops everything and accepts nothing', () => {
  const { queue, clock } = startQueue()
  for (const key of ['runs', 'fails', 'waits', 'ready']) queue.add(key)
  for (let index = 0; index < 3; index++) queue.take()
  queue.fail('fails')
  queue.succeed('waits', requeueAfter(1000))
  queue.close()
  queue.add('late')
  assert.equal(queue.take(), undefined)
  assert.deepEqual([queue.running, queue.waiting, queue.failing, clock.waiting], [1, 0, 0, 0])
  queue.fail('runs')
  assert.deepEqual([queue.running, queue.waiting, queue.failing, clock.waiting], [0, 0, 0, 0])
})
