import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectRef } from '@orrery/kinds'
import { each } from './each.js'
import { requeueAfter, requeueAt, soonest } from './requeue.js'
import { startTestController, turns } from './testing.fixture.js'
import type { ReconcileContext } from './types.js'

const a = { namespace: 'ns', name: 'a' }
const b = { namespace: 'ns', name: 'b' }

test('Controller: starts when every informer has synced', async (t) => {
  const { things, others, seen, group, clock, logged } = startTestController(t, {
    wakes: (things, others) => [each(things), each(others, () => undefined)],
  })
  things.write({ metadata: a })
  things.sync()
  await turns()
  assert.deepEqual(seen, [])
  assert.deepEqual(group.health[0]?.waitingFor, ['others.example.com'])
  clock.advance(30_000)
  assert.deepEqual(logged('warn'), [
    { message: 'controller is still waiting for informers', component: 'things', waitingFor: ['others.example.com'] },
  ])
  others.sync()
  await group.whenRunning()
  await turns()
  assert.deepEqual(seen, ['ns/a'])
  assert.equal(group.health[0]?.state, 'running')
})

test('Controller: a reconcile sees all changes that arrived together', async (t) => {
  const { things, seen, start } = startTestController(t)
  await start()
  for (let version = 0; version < 5; version++) things.write({ metadata: a })
  things.write({ metadata: b })
  assert.deepEqual(seen, [], 'not within the event')
  await turns()
  assert.deepEqual(seen, ['ns/a', 'ns/b'])
})

test('Controller: reconciles several objects at the same time, but never one twice', async (t) => {
  const ends: (() => void)[] = []
  const { things, seen, start } = startTestController(t, {
    concurrency: 3,
    reconcile: () => new Promise<void>((resolve) => ends.push(resolve)),
  })
  await start()
  for (const name of ['a', 'b', 'c']) things.write({ metadata: { namespace: 'ns', name } })
  await turns()
  things.write({ metadata: a })
  await turns()
  assert.deepEqual(seen, ['ns/a', 'ns/b'])
  ends[0]?.()
  await turns()
  assert.deepEqual(seen, ['ns/a', 'ns/b', 'ns/c'])
  ends[1]?.()
  await turns()
  assert.deepEqual(seen, ['ns/a', 'ns/b', 'ns/c', 'ns/a'])
  for (const end of ends) end()
})

test('Controller: slow reconciles of one namespace leave a worker for the others', async (t) => {
  const { things, seen, start } = startTestController(t, {
    concurrency: 4,
    reconcile: async ({ namespace }) => {
      if (namespace === 'slow') await new Promise<void>(() => undefined)
    },
    stopMilliseconds: 0,
  })
  await start()
  for (let index = 0; index < 10; index++) things.write({ metadata: { namespace: 'slow', name: String(index) } })
  await turns()
  for (const namespace of ['other', 'third']) things.write({ metadata: { namespace, name: 'a' } })
  await turns()
  assert.deepEqual(seen, ['slow/0', 'slow/1', 'slow/2', 'other/a', 'third/a'])
})

test('Controller: requeues at a time, or after a delay', async (t) => {
  const asked = [
    () => requeueAt(new Date('2030-01-01T00:00:10Z')),
    () => requeueAfter(5000),
    () => soonest(new Date('2030-01-01T00:00:15Z'), requeueAfter(7000), undefined, requeueAfter(1000)),
    () => soonest(new Date()),
  ]
  const { things, start, clock } = startTestController(t, {
    reconcile: async () => {
      seen.push(clock.now().toISOString().slice(14, 19))
      return asked.shift()?.()
    },
  })
  const seen: string[] = []
  await start()
  things.write({ metadata: a })
  for (let second = 0; second < 60; second++) {
    await turns()
    clock.advance(1000)
  }
  assert.deepEqual(seen, ['00:00', '00:10', '00:15', '00:16'])
})

test('Controller: resyncs all objects periodically, after all fresh ones', async (t) => {
  const { things, seen, start, clock } = startTestController(t, { resyncMilliseconds: 60_000 })
  things.write({ metadata: a })
  things.write({ metadata: b })
  await start()
  await turns()
  assert.deepEqual(seen.splice(0), ['ns/a', 'ns/b'])
  clock.advance(60_000)
  things.write({ metadata: { namespace: 'ns', name: 'new' } })
  await turns()
  assert.deepEqual(seen.splice(0), ['ns/new', 'ns/a', 'ns/b'])
  clock.advance(59_999)
  await turns()
  assert.deepEqual(seen, [])
  clock.advance(1)
  await turns()
  assert.deepEqual(seen, ['ns/a', 'ns/b', 'ns/new'])
})

test('Controller: logs a mapping that fails in a resync, and continues with the others', async (t) => {
  let isBroken = false
  const { things, seen, start, clock, logged } = startTestController(t, {
    resyncMilliseconds: 1000,
    wakes: (things) => [
      each(things, () => {
        if (isBroken) throw new Error('cannot map')
        return undefined
      }),
      each(things),
    ],
  })
  things.write({ metadata: a })
  await start()
  await turns()
  isBroken = true
  clock.advance(1000)
  await turns()
  assert.deepEqual(seen, ['ns/a', 'ns/a'])
  assert.deepEqual(
    logged('error').map(({ message, resource }) => [message, resource]),
    [['resync failed', 'things']],
  )
})

test('Controller: a stop takes nothing more, aborts reconciles in progress and waits for them', async (t) => {
  const signals: AbortSignal[] = []
  const ends: (() => void)[] = []
  const { things, seen, start, group, clock, logged } = startTestController(t, {
    reconcile: (_: ObjectRef, { signal }: ReconcileContext) => {
      signals.push(signal)
      return new Promise<void>((_, reject) => ends.push(() => reject(signal.reason)))
    },
    resyncMilliseconds: 1000,
  })
  await start()
  things.write({ metadata: a })
  things.write({ metadata: b })
  await turns()
  let isStopped = false
  const stopped = group.stop().then(() => {
    isStopped = true
  })
  await turns()
  assert.equal(signals[0]?.aborted, true)
  assert.equal(isStopped, false)
  assert.equal(things.subscribers, 0)
  ends[0]?.()
  await stopped
  assert.deepEqual(seen, ['ns/a'])
  assert.deepEqual(logged('warn'), [])
  assert.equal(clock.waiting, 0, 'no timer is left')
  assert.equal(group.health[0]?.state, 'stopped')
})

test('Controller: each run has its own signal, aborted even if it is read late', async (t) => {
  const contexts: ReconcileContext[] = []
  const { things, start, group, clock } = startTestController(t, {
    concurrency: 3,
    reconcile: (_, context) => {
      contexts.push(context)
      return new Promise<void>(() => undefined)
    },
    stopMilliseconds: 0,
  })
  await start()
  things.write({ metadata: a })
  things.write({ metadata: b })
  await turns()
  const [first, second] = contexts as [ReconcileContext, ReconcileContext]
  const { signal } = first
  assert.equal({ ...first }.signal, signal)
  const stopped = group.stop()
  await turns()
  clock.advance(0)
  await stopped
  assert.notEqual(second.signal, signal)
  assert.deepEqual([signal.aborted, second.signal.aborted], [true, true])
})

test('Controller: a stop waits up to a limit, and logs the reconciles that did not end', async (t) => {
  const { things, start, group, clock, logged } = startTestController(t, {
    reconcile: () => new Promise<void>(() => undefined),
    stopMilliseconds: 5000,
  })
  await start()
  things.write({ metadata: a })
  await turns()
  const stopped = group.stop()
  await turns()
  clock.advance(5000)
  await stopped
  const message = 'reconciles did not end in time'
  assert.deepEqual(logged('warn'), [{ message, component: 'things', running: 1, objects: ['ns/a'] }])
  assert.equal(clock.waiting, 0)
})

test('Controller: yields to the event loop when there is much to do', async (t) => {
  const { things, seen, start, clock } = startTestController(t, { reconcile: async () => clock.advance(1) })
  await start()
  for (let index = 0; index < 100; index++) things.write({ metadata: { namespace: 'ns', name: `n${index}` } })
  const counts: number[] = []
  while (seen.length < 100) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    counts.push(seen.length)
  }
  assert.ok(counts.length >= 8, `all in ${counts.length} turns`)
})
